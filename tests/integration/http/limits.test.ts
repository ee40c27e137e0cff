import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { LIMITS } from '../../../src/domain/limit-table.ts'
import { readFailure } from '../../helpers/json.ts'
import { type ProbeServer, startProbeServer } from '../../helpers/processes/probe-server.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { waitFor } from '../../helpers/wait.ts'

const redisUrl = process.env.TEST_REDIS_URL
const kinds: { kind: string; env: Record<string, string> }[] = [
  { kind: 'memory', env: {} },
  ...(redisUrl ? [{ kind: 'redis', env: { REDIS_URL: redisUrl } }] : []),
]

if (!redisUrl && process.env.REQUIRE_ENGINES === '1') throw new Error('Redis is required and not there')

describe.each(kinds)('rate limits counted in $kind', ({ kind, env }) => {
  let server: TestServer
  let probe: ProbeServer
  let second: ProbeServer
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1', ...env })
    probe = await startProbeServer(server)
    second = await startProbeServer(server)
  })
  afterAll(async () => {
    await Promise.all([probe.stop(), second.stop()])
    await server.stop()
  })

  // Counters outlive a run in a shared Redis, so every test has addresses of its own.
  const address = () => `10.${crypto.getRandomValues(new Uint8Array(3)).join('.')}`
  const ask = (
    from: string,
    path = '/api/v1/public/limited',
    on: Pick<ProbeServer, 'fetch'> = probe,
    headers: Record<string, string> = {},
  ) => on.fetch(path, { headers: { 'x-forwarded-for': from, ...headers } })

  test('every answer tells limit, rest and reset; the one past the limit is 429/4290', async () => {
    const from = address()
    const { max } = LIMITS.press_zip
    for (let used = 1; used <= max; used += 1) {
      const answer = await ask(from)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('ratelimit-limit')).toBe(String(max))
      expect(answer.headers.get('ratelimit-remaining')).toBe(String(max - used))
      expect(Number(answer.headers.get('ratelimit-reset'))).toBeWithin(1, 61)
    }
    const refused = await ask(from)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
    expect((await ask(address())).status).toBe(200)
  })

  test('a limit named first counts once, and refuses before a credential or body is looked at', async () => {
    const from = address()
    const post = (headers: Record<string, string>, body: string) =>
      probe.fetch('/api/v1/public/limited', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...headers },
        body,
      })
    expect((await post({}, '{"name":"ok"}')).headers.get('ratelimit-remaining')).toBe(
      String(LIMITS.press_zip.max - 1),
    )
    expect((await post({ authorization: 'Bearer bad' }, '{"name":"ok"}')).status).toBe(401)
    expect((await post({}, '{')).status).toBe(400)
    for (let used = 3; used < LIMITS.press_zip.max; used += 1) await ask(from)
    expect((await post({ authorization: 'Bearer bad' }, '{')).status).toBe(429)
  })

  test('HEAD counts for the same address as GET', async () => {
    const from = address()
    await probe.fetch('/api/v1/public/limited', { method: 'HEAD', headers: { 'x-forwarded-for': from } })
    expect((await ask(from)).headers.get('ratelimit-remaining')).toBe(String(LIMITS.press_zip.max - 2))
  })

  test('an address cannot hide behind a claim of its own', async () => {
    const from = address()
    await ask(`1.2.3.4, ${from}`)
    expect((await ask(`5.6.7.8, ${from}`)).headers.get('ratelimit-remaining')).toBe(
      String(LIMITS.press_zip.max - 2),
    )
  })

  test('of two rows the one closer to its end is told', async () => {
    const answer = await ask(address(), '/api/v1/public/limited-twice')
    expect(answer.headers.get('ratelimit-limit')).toBe(String(LIMITS.press_page_zip.max))
  })

  test('two visitors behind one address are counted apart where the row says so', async () => {
    const from = address()
    const as = (agent: string) => ask(from, '/api/v1/public/limited-twice', probe, { 'user-agent': agent })
    for (let used = 0; used < LIMITS.press_page_zip.max; used += 1) expect((await as('one')).status).toBe(200)
    expect((await as('one')).status).toBe(429)
    expect((await as('two')).status).toBe(200)
  })

  test(kind === 'redis' ? 'two processes share a limit' : 'two processes count for themselves', async () => {
    const from = address()
    const rests: (string | null)[] = []
    for (const on of [probe, second, probe, second])
      rests.push((await ask(from, undefined, on)).headers.get('ratelimit-remaining'))
    expect(rests).toEqual(kind === 'redis' ? ['29', '28', '27', '26'] : ['29', '29', '28', '28'])
  })

  test('one address uses up its share of what everyone has, and nothing more', async () => {
    const path = '/api/v1/public/sitemap'
    const greedy = address()
    const statuses = new Map<number, number>()
    for (let sent = 0; sent < LIMITS.sitemap_all.max; sent += 100) {
      const answers = Array.from({ length: 100 }, () => ask(greedy, path, server))
      for (const { status } of await Promise.all(answers))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    const share = LIMITS.sitemap.max
    expect([...statuses]).toEqual([
      [200, share],
      [429, LIMITS.sitemap_all.max - share],
    ])
    const other = await ask(address(), path, server)
    expect([other.status, other.headers.get('ratelimit-remaining')]).toEqual([200, String(share - 1)])
  })

  test('the sitemap of the website counts with that of the API', async () => {
    const from = address()
    const left = async (path: string) => {
      const answer = await ask(from, path, server)
      expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([
        200,
        String(LIMITS.sitemap.max),
      ])
      return LIMITS.sitemap.max - Number(answer.headers.get('ratelimit-remaining'))
    }
    expect(await left('/sitemap.xml')).toBe(1)
    expect(await left('/api/v1/public/sitemap')).toBe(2)
    for (let used = 2; used < LIMITS.sitemap.max; used += 1) await ask(from, '/sitemap.xml', server)
    expect((await ask(from, '/sitemap.xml?part=first', server)).status).toBe(429)
  })

  test('sign-in has 30 tries a minute, refused in our envelope', async () => {
    const [from, email] = [address(), `nobody-${crypto.randomUUID()}@example.org`]
    const attempt = () =>
      server.fetch('/api/auth/sign-in/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': from },
        body: JSON.stringify({ email, password: 'not a password' }),
      })
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await attempt()).status))
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect(await readFailure(await attempt())).toMatchObject({ status: 429, code: 4290 })
  })
})

test('without Redis requests are still answered, each process counting for itself', async () => {
  const server = await startTestServer({ TRUST_PROXY: '1', REDIS_URL: 'redis://127.0.0.1:1' })
  const probe = await startProbeServer(server)
  const answer = await probe.fetch('/api/v1/public/limited', { headers: { 'x-forwarded-for': '10.1.2.3' } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('ratelimit-remaining')).toBe('29')
  // On a busy machine another service may be too late for a moment.
  const ready = await waitFor('ready', async () => {
    const told = await server.fetch('/ready')
    return told.status === 200 && told
  })
  expect(await ready.json()).toMatchObject({ data: { status: 'degraded' } })
  await probe.stop()
  await server.stop()
})
