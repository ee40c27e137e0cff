import type { ExtStore } from './client.ts'
import { isConfirmed, parseAssertion, signInUrl, toCheck } from './openid.ts'
import { authenticateTicket, checkOwnership, coversApp } from './partner.ts'
import { requestText } from './request.ts'
import { createTagReader, fetchStorePage } from './store-page.ts'

const TIMEOUT_MS = 10_000

interface ExtStoreAddresses {
  apiUrl: string
  partnerUrl: string
  storeUrl: string
  openidUrl: string
}

/** `timeoutMs` covers all requests of one call. */
export function openExtStore(addresses: ExtStoreAddresses, timeoutMs = TIMEOUT_MS): ExtStore {
  const { apiUrl, partnerUrl, storeUrl, openidUrl } = addresses
  const origins = new Set([apiUrl, partnerUrl, storeUrl, openidUrl].map((address) => new URL(address).origin))
  const readTags = createTagReader(apiUrl)
  const inTime = () => AbortSignal.timeout(timeoutMs)
  const partner = (webApiKey: string) => ({ partnerUrl, webApiKey, signal: inTime() })

  return {
    authenticateTicket: (webApiKey, ask) => authenticateTicket(partner(webApiKey), ask),
    checkOwnership: (webApiKey, ask) => checkOwnership(partner(webApiKey), ask),
    coversApp: (webApiKey, appId) => coversApp(partner(webApiKey), appId),
    async readApp(appId) {
      const signal = inTime()
      const page = await fetchStorePage(storeUrl, appId, signal)
      return page && { ...page, tags: await readTags(page.appId, signal) }
    },
    openid: {
      signInUrl: (ask) => signInUrl(openidUrl, ask),
      async confirm(assertion, returnTo) {
        const claim = parseAssertion(assertion, { endpoint: openidUrl, returnTo, now: Date.now() })
        if (!claim) return null
        const check = { address: openidUrl, params: toCheck(assertion), isForm: true, signal: inTime() }
        return isConfirmed(await requestText(check)) ? claim : null
      },
    },
    isOwnOrigin: (url) => origins.has(url.origin),
  }
}
