import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { readJson } from '../../../helpers/json.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import {
  authorize,
  createPkcePair,
  exchange,
  obtainToken,
  registerClient,
} from '../../../helpers/sign-in/oauth.ts'

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  person = await signUp(server)
})
afterAll(() => server.stop())

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
