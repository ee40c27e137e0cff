import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { oauthClients } from '../../../../src/db/schema/oauth.ts'
import { readJson } from '../../../helpers/json.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { createPkcePair, register, registerClient } from '../../../helpers/sign-in/oauth.ts'

const REDIRECT = 'http://127.0.0.1:39999/callback'
const METADATA = {
  client_name: 'A curious program',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
}

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  person = await signUp(server)
})
afterAll(() => server.stop())

describe('the addresses of a registration', () => {
  const called = [
    ['backchannel_logout_uri', 'https://example.org/logout'],
    ['frontchannel_logout_uri', 'https://example.org/logout'],
    ['jwks_uri', 'https://example.org/keys'],
    ['sector_identifier_uri', 'https://example.org/sector'],
    ['request_uris', ['https://example.org/request']],
    ['initiate_login_uri', 'https://example.org/login'],
  ] as const

  test.each(called)('%s, which a server would call, is refused', async (name, value) => {
    const answer = await register(server, { ...METADATA, [name]: value })
    expect(answer.status).toBe(400)
    const failure = await readJson<{ error: string; error_description: string }>(answer)
    expect(failure.error).toBe('invalid_client_metadata')
    expect(failure.error_description).toContain(name)
  })

  test('those that a page would show are accepted and not kept', async () => {
    const shown = {
      client_uri: 'javascript:alert(1)',
      logo_uri: 'http://169.254.169.254/logo.png',
      tos_uri: 'data:text/html,x',
      policy_uri: 'https://example.org/policy',
      post_logout_redirect_uris: ['https://example.org/after'],
    }
    const answer = await register(server, { ...METADATA, ...shown })
    expect(answer.status).toBe(201)
    const registered = await readJson<Record<string, string>>(answer)
    for (const name of Object.keys(shown)) expect(registered[name]).toBeUndefined()
    const id = registered.client_id ?? ''
    const [row] = await server.deps.db.select().from(oauthClients).where(eq(oauthClients.clientId, id))
    const nothing = { uri: null, icon: null, tos: null, policy: null, postLogoutRedirectUris: null }
    expect(row).toMatchObject(nothing)
  })
})

async function askedQuery(clientId: string): Promise<URLSearchParams> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: 'player:read',
    state: 'x',
    code_challenge: createPkcePair().challenge,
    code_challenge_method: 'S256',
  })
  const answer = await person.fetch(`/api/auth/oauth2/authorize?${query.toString()}`)
  return new URL(answer.headers.get('location') ?? '', server.url).searchParams
}

const html = { accept: 'text/html' }
const policyOf = (page: Response) => page.headers.get('content-security-policy') ?? ''

describe('the consent page', () => {
  const open = (query: URLSearchParams) =>
    person.fetch(`/oauth/consent?${query.toString()}`, { headers: html })

  test('draws a request that the account routes signed', async () => {
    const page = await open(await askedQuery(await registerClient(server, METADATA)))
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('A curious program')
    expect(policyOf(page)).toContain("form-action 'self' http://127.0.0.1:39999")
  })

  test.each([
    ['without a signature', (query: URLSearchParams) => query.delete('sig')],
    ['with other scopes', (query: URLSearchParams) => query.set('scope', 'player:read mcp:builds.write')],
    ['with another address', (query: URLSearchParams) => query.set('redirect_uri', 'https://evil.example/')],
    ['that has expired', (query: URLSearchParams) => query.set('exp', '1')],
  ])('draws nothing of a request %s', async (_, change) => {
    const query = await askedQuery(await registerClient(server, METADATA))
    change(query)
    const page = await open(query)
    expect(page.status).toBe(400)
    // The form for the theme below leads back to the same address.
    const [text] = (await page.text()).split('<footer')
    expect(text).not.toContain('A curious program')
    expect(text).not.toContain('evil.example')
    expect(policyOf(page)).not.toMatch(/evil\.example|39999/)
  })
})

describe('the sign-in pages', () => {
  test.each(['/sign-in', '/sign-up'])(
    '%s allows forms to lead to registered addresses alone',
    async (path) => {
      const clientId = await registerClient(server, METADATA)
      const open = (query: Record<string, string>) =>
        server.fetch(`${path}?${new URLSearchParams(query).toString()}`, { headers: html })
      const known = await open({ client_id: clientId, redirect_uri: 'http://127.0.0.1:40001/callback' })
      expect(policyOf(known)).toContain("form-action 'self' http://127.0.0.1:40001")
      for (const query of [
        { client_id: 'nobody', redirect_uri: REDIRECT },
        { client_id: clientId, redirect_uri: 'https://evil.example/callback' },
        { client_id: clientId, redirect_uri: 'http://127.0.0.1:39999/other' },
      ]) {
        expect(policyOf(await open(query))).toMatch(/form-action 'self';/)
      }
    },
  )
})
