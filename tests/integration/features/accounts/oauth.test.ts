import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { oauthClients } from '../../../../src/db/schema/oauth.ts'
import { readJson } from '../../../helpers/json.ts'
import {
  authorize,
  createPkcePair,
  exchange,
  obtainToken,
  register,
  registerClient,
} from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const person = usePerson(server)

describe('the authorization server', () => {
  test('describes itself and its resources where clients look', async () => {
    const issuer = await readJson<Record<string, unknown>>(
      await server.fetch('/.well-known/oauth-authorization-server'),
    )
    expect(issuer).toMatchObject({
      issuer: server.url,
      registration_endpoint: `${server.url}/api/auth/oauth2/register`,
      code_challenge_methods_supported: ['S256'],
    })
    expect(issuer.scopes_supported).toContain('mcp:builds.write')
    for (const [path, resource] of [
      ['', server.url],
      ['/mcp', `${server.url}/mcp`],
    ]) {
      const answer = await server.fetch(`/.well-known/oauth-protected-resource${path}`)
      expect(await answer.json()).toMatchObject({ resource, authorization_servers: [server.url] })
    }
  })

  test('issues a signed token with the scopes the person agreed to', async () => {
    const token = await obtainToken(server, person, 'player:read player:bugs')
    const claims = JSON.parse(Buffer.from(token.access_token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({
      sub: person.uid,
      iss: server.url,
      aud: server.url,
      scope: 'player:read player:bugs',
    })
    expect(claims.exp - claims.iat).toBe(3600)
  })

  test('a refresh token makes a new access token, once', async () => {
    const client = await registerClient(server)
    const { verifier, challenge } = createPkcePair()
    const code = await authorize(server, person, {
      clientId: client,
      scope: 'player:read offline_access',
      challenge,
    })
    const first = await exchange(server, {
      grant_type: 'authorization_code',
      code,
      client_id: client,
      code_verifier: verifier,
    })
    const { refresh_token = '' } = await readJson<{ refresh_token?: string }>(first)
    const refresh = () => exchange(server, { grant_type: 'refresh_token', refresh_token, client_id: client })
    expect((await refresh()).status).toBe(200)
    expect((await refresh()).status).toBe(400)
  })

  test('a code is used once', async () => {
    const client = await registerClient(server)
    const { verifier, challenge } = createPkcePair()
    const code = await authorize(server, person, { clientId: client, scope: 'player:read', challenge })
    const use = () =>
      exchange(server, { grant_type: 'authorization_code', code, client_id: client, code_verifier: verifier })
    expect((await use()).status).toBe(200)
    expect((await use()).status).toBeGreaterThanOrEqual(400)
  })

  test('PKCE is needed, and its verifier must fit', async () => {
    const client = await registerClient(server)
    expect(
      authorize(server, person, { clientId: client, scope: 'player:read', challenge: null }),
    ).rejects.toThrow('authorize')
    const { challenge } = createPkcePair()
    const code = await authorize(server, person, { clientId: client, scope: 'player:read', challenge })
    const wrong = createPkcePair().verifier
    const answer = await exchange(server, {
      grant_type: 'authorization_code',
      code,
      client_id: client,
      code_verifier: wrong,
    })
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })

  test('an unknown scope is refused', async () => {
    const client = await registerClient(server)
    const { challenge } = createPkcePair()
    expect(authorize(server, person, { clientId: client, scope: 'admin:all', challenge })).rejects.toThrow(
      'invalid_scope',
    )
  })

  test('a redirect that was not registered is refused', async () => {
    const client = await registerClient(server)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: 'https://evil.example/cb',
      scope: 'player:read',
      code_challenge: createPkcePair().challenge,
      code_challenge_method: 'S256',
    })
    const answer = await person.fetch(`/api/auth/oauth2/authorize?${query.toString()}`)
    expect(answer.headers.get('location') ?? '').not.toStartWith('https://evil.example')
  })

  test('a person who is not signed in is sent to the sign-in page', async () => {
    const client = await registerClient(server)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: 'http://127.0.0.1:39999/callback',
      scope: 'player:read',
      code_challenge: createPkcePair().challenge,
      code_challenge_method: 'S256',
    })
    const answer = await server.fetch(`/api/auth/oauth2/authorize?${query.toString()}`, {
      headers: { 'x-forwarded-for': '10.4.4.4' },
    })
    expect(answer.headers.get('location')).toStartWith(`${server.url}/sign-in?`)
  })
})

const REDIRECT = 'http://127.0.0.1:39999/callback'
const METADATA = {
  client_name: 'A curious program',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
}

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
    ['of an unknown program', (query: URLSearchParams) => query.set('client_id', 'nobody')],
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
    expect(text).toContain('<h1>This request cannot be read</h1>')
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
