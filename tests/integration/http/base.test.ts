import { beforeAll, describe, expect, test } from 'bun:test'

import { readFailure, readJson } from '../../helpers/json.ts'
import { type Person, randomAddress, signUp } from '../../helpers/people.ts'
import { startTestServer } from '../../helpers/server.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let person: Person

beforeAll(async () => {
  person = await signUp(server)
})

describe('every failure has the envelope', () => {
  const json = { 'content-type': 'application/json' }

  test('an unknown address is 404/4040', async () => {
    expect(await readFailure(await server.fetch('/no/such/page'))).toMatchObject({ status: 404, code: 4040 })
  })

  test('an unknown method is 405/4050 and names the known ones', async () => {
    const answer = await server.fetch('/api/v1/private/me', { method: 'PUT' })
    expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH')
    expect(await readFailure(answer)).toMatchObject({ status: 405, code: 4050 })
  })

  test('bad JSON is 400/4000 with an issue', async () => {
    const answer = await person.fetch('/api/v1/private/me', {
      method: 'PATCH',
      headers: json,
      body: '{"username":',
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({
      success: false,
      error: { code: 4000, message: 'The body is not valid JSON.' },
      data: { issues: [{ path: '', message: 'The body is not valid JSON.' }] },
    })
  })

  test('a wrong type is 400/4000 and names the field', async () => {
    const answer = await person.json('PATCH', '/api/v1/private/me', { developer_mode: 'yes' })
    expect(answer.status).toBe(400)
    const body = await readJson<{ data: { issues: { path: string }[] } }>(answer)
    expect(body.data.issues.map((issue) => issue.path)).toEqual(['developer_mode'])
  })

  test('an unknown field is refused, so that a typo loses nothing', async () => {
    const answer = await person.json('PATCH', '/api/v1/private/me', { usrname: 'typo' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ data: { issues: [{ path: 'usrname' }] } })
  })

  test('a text with a NUL character is refused', async () => {
    const answer = await person.json('POST', '/api/v1/private/player-keys', { label: 'a\u0000b' })
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
    expect(await readFailure(await server.fetch('/api/v1/private/x%00y'))).toMatchObject({
      status: 400,
      code: 4000,
    })
  })

  test('another content type is 415/4150', async () => {
    const init = { method: 'PATCH', headers: { 'content-type': 'text/xml' }, body: '<x/>' }
    expect(await readFailure(await person.fetch('/api/v1/private/me', init))).toMatchObject({
      status: 415,
      code: 4150,
    })
  })

  test('an oversized body is 413/4130, with and without a declared length', async () => {
    const big = JSON.stringify({ label: 'x'.repeat(1_100_000) })
    const declared = await person.fetch('/api/v1/private/player-keys', {
      method: 'POST',
      headers: json,
      body: big,
    })
    expect(await readFailure(declared)).toMatchObject({ status: 413, code: 4130 })

    const chunked = new ReadableStream({
      start(controller) {
        for (let at = 0; at < big.length; at += 65_536)
          controller.enqueue(new TextEncoder().encode(big.slice(at, at + 65_536)))
        controller.close()
      },
    })
    const streamed = await person.fetch('/api/v1/private/player-keys', {
      method: 'POST',
      headers: json,
      body: chunked,
    })
    expect(await readFailure(streamed)).toMatchObject({ status: 413, code: 4130 })
  })
})

describe('every answer', () => {
  test('has a request id of its own and the security headers', async () => {
    const [first, second] = await Promise.all([server.fetch('/health'), server.fetch('/no/such/page')])
    expect(first.headers.get('x-request-id')).not.toBe(second.headers.get('x-request-id'))
    for (const answer of [first, second]) {
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
      expect(answer.headers.get('content-security-policy')).toStartWith("default-src 'none'")
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(answer.headers.has('strict-transport-security')).toBe(false)
    }
  })

  test('keeps the request id a trusted proxy set, if it is one', async () => {
    const id = (value: string) => server.fetch('/health', { headers: { 'x-request-id': value } })
    expect((await id('abc-123-xyz')).headers.get('x-request-id')).toBe('abc-123-xyz')
    expect((await id('bad id\u0020<script>')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('is open to other origins on the public API only', async () => {
    for (const path of ['public/nothing', 'extstore/x/auth', 'games/x/bugs', 'player/library']) {
      const open = await server.fetch(`/api/v1/${path}`)
      expect(open.headers.get('access-control-allow-origin')).toBe('*')
      expect(open.headers.has('access-control-allow-credentials')).toBe(false)
    }
    for (const path of [
      '/health',
      '/api/v1/publicly',
      '/api/v1/gamesome',
      '/api/v1/private/me',
      '/api/auth/get-session',
    ]) {
      expect((await server.fetch(path)).headers.has('access-control-allow-origin')).toBe(false)
    }
  })
})

describe('HEAD and OPTIONS', () => {
  test('HEAD answers like GET without the body', async () => {
    const [head, get] = await Promise.all([
      server.fetch('/health', { method: 'HEAD' }),
      server.fetch('/health'),
    ])
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
  })

  test('OPTIONS names the methods', async () => {
    const answer = await server.fetch('/api/v1/private/player-keys', { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST')
    expect(answer.headers.has('access-control-allow-methods')).toBe(false)
  })

  test('a preflight of the public API allows our headers', async () => {
    const answer = await server.fetch('/api/v1/public/openapi.json', { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    expect(answer.headers.get('access-control-allow-headers')).toContain('Authorization')
  })

  test('so does a preflight of the bug reporter, for games that run in a browser', async () => {
    const answer = await server.fetch('/api/v1/games/lantern/bugs', { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
    expect(answer.headers.get('access-control-allow-headers')).toContain('Authorization')
  })

  test('OPTIONS of an unknown address is 404', async () => {
    expect((await server.fetch('/no/such/page', { method: 'OPTIONS' })).status).toBe(404)
  })
})

test('HSTS is sent when the address is https', async () => {
  const secure = await startTestServer({ BASE_URL: 'https://games.example.org' })
  const answer = await fetch(`http://127.0.0.1:${secure.port}/health`)
  expect(answer.headers.get('strict-transport-security')).toContain('max-age=')
  await secure.stop()
})

test.each(['x', 'api', 'api:80', 'store.example'])(
  'an address is found under the host name %s',
  async (host) => {
    const answer = await server.fetch('/api/v1/public/store-rules', { headers: { host } })
    expect(answer.status).toBe(200)
  },
)

describe('other sites', () => {
  beforeAll(async () => {
    person = await signUp(server)
  })

  const EVIL = 'https://evil.example'
  const IMAGE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
  const FORM = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: EVIL }

  /** More often than the limit of sign-ins allows. */
  const repeat = (path: string, init: RequestInit) =>
    Promise.all(Array.from({ length: 40 }, () => server.fetch(path, init)))

  async function signInFrom(address: string): Promise<number> {
    const answer = await server.fetch('/sign-in', {
      method: 'POST',
      headers: { origin: server.url, 'x-forwarded-for': address, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ email: person.email, password: person.password }),
    })
    return answer.status
  }

  test.each([
    ['images', 'GET', '/api/auth/get-session', IMAGE],
    ['images of a sibling site', 'GET', '/api/auth/get-session', { ...IMAGE, 'sec-fetch-site': 'same-site' }],
    ['frames', 'GET', '/api/auth/oauth2/authorize', { ...FORM, 'sec-fetch-dest': 'iframe' }],
    ['images of the export', 'GET', '/account/export', IMAGE],
    ['forms', 'POST', '/sign-in', { ...FORM, ...form }],
    ['forms of older browsers', 'POST', '/forgot', form],
    ['forms to the account routes', 'POST', '/api/auth/sign-in/email', { ...FORM, ...form }],
    ['forms to them of older browsers', 'POST', '/api/auth/sign-in/email', form],
  ])('%s in another website use up no limit of its visitors', async (_, method, path, headers) => {
    const address = randomAddress()
    const body = method === 'POST' ? { body: 'email=a%40example.org&password=guessed+by+others' } : {}
    const answers = await repeat(path, {
      method,
      headers: { 'x-forwarded-for': address, ...headers },
      ...body,
    })
    for (const { status } of answers) expect([401, 403]).toContain(status)
    expect(await signInFrom(address)).toBe(303)
  })

  test('asking for the session often uses up no sign-in', async () => {
    const address = randomAddress()
    const answers = await repeat('/api/auth/get-session', { headers: { 'x-forwarded-for': address } })
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await signInFrom(address)).toBe(303)
  })

  test('links of other websites and programs without a browser are served', async () => {
    const headers = { ...FORM, 'x-forwarded-for': randomAddress() }
    for (const path of ['/api/auth/reset-password/x?callbackURL=/reset', '/api/auth/oauth2/authorize'])
      expect((await server.fetch(path, { headers })).status).not.toBe(403)
    const token = await server.fetch('/api/auth/oauth2/token', {
      method: 'POST',
      headers: { ...form, origin: 'app://program', 'x-forwarded-for': randomAddress() },
      body: 'grant_type=authorization_code',
    })
    expect(token.status).not.toBe(403)
  })

  test('attempts to sign in are still counted', async () => {
    const address = randomAddress()
    const answers = await repeat('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ email: `nobody-${address}@example.org`, password: 'guessed' }),
    })
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(10)
    expect(await signInFrom(address)).toBe(429)
  })
})

describe('the slow lane', () => {
  const ask = (address: string, path = '/api/v1/private/me') =>
    server.fetch(path, { headers: { 'x-forwarded-for': address, authorization: 'Bearer nonsense' } })

  test('a network whose requests are refused again and again is still served, as are people in it', async () => {
    const network = '203.0.113'
    const refused = await Promise.all(Array.from({ length: 200 }, (_, host) => ask(`${network}.${host}`)))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]))
    const person = await signUp(server)
    const headers = { cookie: person.cookie, 'x-forwarded-for': `${network}.250` }
    const answers = await Promise.all([
      server.fetch('/api/v1/private/me', { headers }),
      ...Array.from({ length: 50 }, (_, host) => ask(`${network}.${host}`)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, ...Array.from({ length: 50 }, () => 401)])
  })
})
