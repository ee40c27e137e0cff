import { describe, expect, test } from 'bun:test'

import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { decodeJwt } from 'jose'

import { readJson } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { fetchFromAnywhere, MemoryProvider } from '../../../helpers/mcp.ts'
import { randomAddress } from '../../../helpers/people.ts'
import {
  answerAuthorization,
  authorize,
  createPkcePair,
  exchange,
  obtainToken,
  register,
} from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const person = usePerson(server)

const use = (token: string) =>
  server.fetch('/api/v1/public/search?q=none', {
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': randomAddress() },
  })

test('the first good token after a bad one works', async () => {
  // Nothing is signed yet, so there is no key either.
  expect((await use('not-a-token')).status).toBe(401)
  const { access_token } = await obtainToken(server, person, 'player:read')
  expect((await use(access_token)).status).toBe(200)
})

describe('a request without resource', () => {
  test('gets a signed token for this server that works', async () => {
    const { access_token } = await obtainToken(server, person, 'player:read', null)
    expect(decodeJwt(access_token).aud).toContain(server.url)
    expect((await use(access_token)).status).toBe(200)
  })

  test('gets one again for its refresh token', async () => {
    const first = await obtainToken(server, person, 'player:read offline_access', null)
    const { refresh_token = '', clientId } = first
    const answer = await exchange(
      server,
      { grant_type: 'refresh_token', refresh_token, client_id: clientId },
      null,
    )
    const { access_token } = await readJson<{ access_token: string }>(answer)
    expect((await use(access_token)).status).toBe(200)
  })

  test('may name the resource when it asks for the token', async () => {
    const { clientId } = await obtainToken(server, person, 'player:read', null)
    const { verifier, challenge } = createPkcePair()
    const code = await authorize(server, person, {
      clientId,
      scope: 'player:read',
      challenge,
      resource: null,
    })
    const fields = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier }
    const answer = await exchange(server, fields, `${server.url}/mcp`)
    const { access_token } = await readJson<{ access_token: string }>(answer)
    expect(decodeJwt(access_token).aud).toBe(`${server.url}/mcp`)
  })

  test('sent as a form gets one too', async () => {
    const { clientId } = await obtainToken(server, person, 'player:read', null)
    const { verifier, challenge } = createPkcePair()
    const asked = await person.fetch('/api/auth/oauth2/authorize', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        scope: 'player:read',
        redirect_uri: 'http://127.0.0.1:39999/callback',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }),
    })
    const code = new URL(asked.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const fields = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier }
    const { access_token } = await readJson<{ access_token: string }>(await exchange(server, fields, null))
    expect((await use(access_token)).status).toBe(200)
  })

  test('does not widen one that named its resource', async () => {
    const { access_token } = await obtainToken(server, person, 'player:read', `${server.url}/mcp`)
    expect(decodeJwt(access_token).aud).toBe(`${server.url}/mcp`)
  })
})

describe('registration without application_type', () => {
  test.each(['http://127.0.0.1:8123/cb', 'http://localhost:8123/cb', 'http://[::1]:8123/cb'])(
    'takes %s, with any port at authorization',
    async (redirect) => {
      const answer = await register(server, {
        client_name: 'Native',
        redirect_uris: [redirect],
        token_endpoint_auth_method: 'none',
      })
      expect(answer.status).toBe(201)
      const { client_id, application_type } = await readJson<Record<string, string>>(answer)
      expect(application_type).toBe('native')
      const redirectUri = redirect.replace('8123', '51234')
      const { verifier, challenge } = createPkcePair()
      const code = await authorize(server, person, {
        clientId: client_id ?? '',
        scope: 'player:read',
        challenge,
        redirectUri,
      })
      const token = await exchange(server, {
        grant_type: 'authorization_code',
        code,
        client_id: client_id ?? '',
        code_verifier: verifier,
        redirect_uri: redirectUri,
      })
      expect(token.status).toBe(200)
    },
  )

  test.each(['http://program.example/cb', 'http://127.0.0.1.evil.example/cb', 'http://192.168.0.1/cb'])(
    'refuses %s',
    async (redirect) => {
      const answer = await register(server, {
        redirect_uris: [redirect],
        token_endpoint_auth_method: 'none',
      })
      expect(answer.status).toBe(400)
      expect(await readJson(answer)).toMatchObject({ error: 'invalid_redirect_uri' })
    },
  )

  test('a website stays one', async () => {
    const answer = await register(server, {
      redirect_uris: ['https://program.example/cb'],
      token_endpoint_auth_method: 'none',
    })
    expect(await readJson(answer)).toMatchObject({ application_type: 'web' })
  })
})

test('a consent whose request was changed is refused as such', async () => {
  const answer = await person.json('POST', '/api/auth/oauth2/consent', {
    accept: true,
    oauth_query: 'client_id=x&sig=wrong',
  })
  expect(answer.status).toBe(400)
})

describe('the official MCP client', () => {
  test.each([
    ['as it is', {}],
    ['as a public client', { token_endpoint_auth_method: 'none' }],
  ])('%s: discovery, registration, consent, token, call, refresh', async (_, metadata) => {
    const game = await insertGame(server, person)
    const provider = new MemoryProvider()
    Object.assign(provider.clientMetadata, metadata)
    const serverUrl = `${server.url}/mcp`
    const fetchFn = fetchFromAnywhere
    expect(await auth(provider, { serverUrl, fetchFn })).toBe('REDIRECT')
    const { pathname, search } = provider.asked ?? new URL(server.url)
    const authorizationCode = await answerAuthorization(server, person, pathname + search)
    expect(await auth(provider, { serverUrl, authorizationCode, fetchFn })).toBe('AUTHORIZED')
    const call = () =>
      fetchFn(`${server.url}/api/v1/private/games/${game.uid}/builds`, {
        headers: { authorization: `Bearer ${provider.tokens()?.access_token}` },
      })
    expect((await call()).status).toBe(200)

    const before = provider.tokens()?.access_token
    expect(await auth(provider, { serverUrl, fetchFn })).toBe('AUTHORIZED')
    expect(provider.tokens()?.access_token).not.toBe(before)
    expect((await call()).status).toBe(200)
  })
})
