import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Provider } from 'oidc-provider'

import { readCookies } from '../people.ts'
import { mergeCookies } from './factors.ts'

/** What the provider says of the person who signs in next. */
export interface Identity {
  sub: string
  email: string
  email_verified: boolean
  name: string
}

export interface OpenIdProvider {
  issuer: string
  /** The entry of SIGN_IN_PROVIDERS. */
  entry: object
  identity: Identity
  /** Signs the identity in at this address of the provider. Returns where it sends the browser afterwards. */
  signIn(authorizationUrl: string): Promise<string>
  stop(): Promise<void>
}

/** A certified provider in this process, whose only form is one field: who signs in. */
export async function startOpenIdProvider(redirectUri: (id: string) => string): Promise<OpenIdProvider> {
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const running: OpenIdProvider = {
    issuer,
    entry: { id: 'forge', name: 'Forge', issuer, client_id: 'playshelf', client_secret: 'a shared secret' },
    identity: { sub: 'nobody', email: 'nobody@example.org', email_verified: true, name: 'Nobody' },
    signIn,
    async stop() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'playshelf',
        client_secret: 'a shared secret',
        redirect_uris: [redirectUri('forge')],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ ...running.identity, sub }) }),
  })
  http.on('request', provider.callback())

  async function signIn(authorizationUrl: string): Promise<string> {
    let url = authorizationUrl
    let cookie = ''
    for (let hops = 0; hops < 12; hops += 1) {
      const page = await fetch(url, { redirect: 'manual', headers: { cookie } })
      cookie = mergeCookies(cookie, readCookies(page))
      const next = page.headers.get('location')
      if (next !== null) {
        url = new URL(next, url).href
        if (!url.startsWith(issuer)) return url
        continue
      }
      const html = await page.text()
      const action = /action="([^"]+)"/.exec(html)?.[1] ?? ''
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? ''
      const form = new URLSearchParams({
        prompt,
        ...(prompt === 'login' && { login: running.identity.sub, password: 'x' }),
      })
      const sent = await fetch(new URL(action, url), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      })
      cookie = mergeCookies(cookie, readCookies(sent))
      url = new URL(sent.headers.get('location') ?? '', url).href
      if (!url.startsWith(issuer)) return url
    }
    throw new Error(`The provider never sent the browser back: ${url}`)
  }
  return running
}
