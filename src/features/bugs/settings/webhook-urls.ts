import { isIP } from 'node:net'

import { isInsideAddress } from '../../../clients/outside/inside-addresses.ts'
import { type Config, listServicePorts } from '../../../config/config.ts'
import { invalidField, invalidFields, type Issue, issueAt } from '../../../errors.ts'
import { isLoopbackHost } from '../../../lib/net/addresses.ts'
import { isHttpsUrl } from '../../../lib/net/urls.ts'
import { show } from '../../../lib/text/show.ts'
import { WEBHOOK_URL_MAX, WEBHOOKS_MAX } from './model.ts'

/** Matches the URL as it is written; other spellings of the address are refused. */
const LOCAL = /^http:\/\/127\.0\.0\.1(?::\d{1,5})?(?:[/?#][^\s\p{Cc}\\]*)?$/u

/** A receiver on this machine, the only inside address that webhooks may be sent to. */
export function isLocalReceiver(url: string): boolean {
  return LOCAL.test(url) && URL.canParse(url)
}

/** Why nothing is sent to a saved address; null if deliveries are sent. */
export function explainUndelivered(config: Config, url: string): string | null {
  if (!isLocalReceiver(url))
    return isInside(url) ? 'Not delivered: the address is not on the internet.' : null
  if (!config.localWebhooks) return 'Not delivered: local addresses are off.'
  const port = Number(new URL(url).port || 80)
  return listServicePorts(config).has(port)
    ? `Not delivered: port ${port} belongs to the store or to a service that it uses.`
    : null
}

/**
 * Removes duplicates, keeps the order, and accepts URLs that are saved already. What a host name resolves to
 * is checked when a delivery is sent.
 */
export function parseWebhookUrls(sent: readonly string[], saved: readonly string[]): string[] {
  const urls = sent.map((url) => url.trim())
  const issues = urls.flatMap((url, index): Issue[] => {
    const fault = saved.includes(url) ? null : findFault(url)
    return fault === null ? [] : [issueAt(`webhook_urls.${index}`, `must be ${fault}, not ${show(url)}.`)]
  })
  if (issues.length > 0) throw invalidFields(issues)
  const distinct = [...new Set(urls)]
  // A short form that an agent sends may stand for several addresses.
  if (distinct.length > WEBHOOKS_MAX)
    throw invalidField('webhook_urls', `must have at most ${WEBHOOKS_MAX} URLs.`)
  return distinct
}

function findFault(url: string): string | null {
  if (isLocalReceiver(url) && url.length <= WEBHOOK_URL_MAX) return null
  if (!isHttpsUrl(url, WEBHOOK_URL_MAX))
    return `an https address of at most ${WEBHOOK_URL_MAX} characters, or http://127.0.0.1`
  return isInside(url) ? 'an address on the internet, which any server can reach' : null
}

/** Whether the host is written as an address of a private network, or names the machine itself. */
function isInside(url: string): boolean {
  const { hostname } = new URL(url)
  const address = hostname.replace(/^\[|\]$/g, '')
  return isLoopbackHost(hostname) || (isIP(address) !== 0 && isInsideAddress(address))
}

/** Without path and query. */
export function shortenUrl(url: string): string {
  return new URL(url).origin
}

/** Puts the saved addresses back in place of their short forms. */
export function restoreUrls(sent: readonly string[], saved: readonly string[]): string[] {
  return sent.flatMap((url) => {
    const meant = saved.filter((known) => shortenUrl(known) === url)
    return meant.length > 0 ? meant : [url]
  })
}
