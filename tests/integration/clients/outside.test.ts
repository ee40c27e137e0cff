import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'

import {
  fetchOutside,
  fetchPinned,
  OutsideFailure,
  type OutsideRequest,
} from '../../../src/clients/outside/fetch-outside.ts'

describe('requests to the outside', () => {
  const LIMITS = { timeoutMs: 20_000, maxBytes: 1000 }

  let server: Bun.Server<undefined>
  let asked: { path: string; headers: Headers; body: string }[] = []
  beforeAll(() => {
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const url = new URL(request.url)
        asked.push({ path: url.pathname, headers: request.headers, body: await request.text() })
        return answer(url)
      },
    })
  })
  afterEach(() => {
    asked = []
  })
  afterAll(() => server.stop(true))

  function answer({ pathname, searchParams }: URL): Response | Promise<Response> {
    const to = searchParams.get('to')
    if (to !== null) return new Response(null, { status: 302, headers: { location: to } })
    if (pathname === '/hang') return new Promise<never>(() => undefined)
    if (pathname === '/drip') return new Response(drip())
    if (pathname === '/empty') return new Response(null, { status: 204 })
    const size = Number(searchParams.get('size') ?? 2)
    return searchParams.has('stream')
      ? new Response(new Blob(['x'.repeat(size)]).stream())
      : new Response('x'.repeat(size))
  }

  /** One byte, and then nothing for ever. */
  function drip(): ReadableStream<Uint8Array> {
    return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([120])) })
  }

  const here = (path = '/') => new URL(path, server.url).href
  const isHere = (url: URL) => url.origin === server.url.origin
  const ask = (address: string, request: Partial<OutsideRequest> = {}) =>
    fetchOutside(address, { ...LIMITS, ...request })

  async function reasonOf(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    )
    return error instanceof OutsideFailure ? error.reason : `not a failure: ${Bun.inspect(error)}`
  }

  describe('addresses that are not allowed', () => {
    test.each([
      'http://127.0.0.1/',
      'http://localhost/',
      'http://0/',
      'http://127.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0177.0.0.1/',
      'http://127.0.0.1./',
      'http://127。0。0。1/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[0:0:0:0:0:ffff:7f00:1]/',
      'http://[::]/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[fd00:ec2::254]/',
      'http://10.0.0.1:8080/',
      'http://[64:ff9b::a00:1]/',
      'http://[2002:7f00:1::]/',
      'https://192.168.1.1/',
      'http://[fe80::1%25lo]/',
      'file:///etc/passwd',
      'ftp://example.org/',
      'data:text/plain,x',
      'javascript:1',
      'gopher://x/',
      '//x',
      '',
      'http://user@example.org/',
      'http://user:password@example.org/',
    ])('%s', async (address) => {
      expect(await reasonOf(ask(address))).toBe('not_allowed')
    })

    test('a name with one address inside among others', async () => {
      const resolve = async () => ['93.184.216.34', '2606:4700::1', '10.0.0.5']
      expect(await reasonOf(ask('http://mixed.example.org/', { resolve }))).toBe('not_allowed')
    })

    test('a name that leads here', async () => {
      const resolve = async () => ['127.0.0.1']
      expect(await reasonOf(ask(here().replace('127.0.0.1', 'me.example.org'), { resolve }))).toBe(
        'not_allowed',
      )
      expect(asked).toEqual([])
    })
  })

  test('a name that leads inside on its second lookup is looked up once for each request', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']]
    const names: string[] = []
    const resolve = async (name: string) => {
      names.push(name)
      return answers.shift() ?? ['127.0.0.1']
    }
    const url = here().replace('127.0.0.1', 'rebinding.example.org')
    // Nobody listens at the outside address on this port, or it cannot be reached from here.
    expect(await reasonOf(ask(url, { resolve, timeoutMs: 300 }))).toMatch(/^(no_answer|too_slow)$/)
    expect(names).toEqual(['rebinding.example.org'])
    expect(asked).toEqual([])
    expect(await reasonOf(ask(url, { resolve }))).toBe('not_allowed')
  })

  test('the connection goes to the address that was judged: the name is not looked up again', async () => {
    const url = new URL(here('/pinned').replace('127.0.0.1', 'does-not-exist.invalid'))
    const answered = await fetchPinned(url, ['127.0.0.1'], {})
    expect(answered.status).toBe(200)
    expect(asked).toMatchObject([{ path: '/pinned' }])
    expect(asked[0]?.headers.get('host')).toBe(url.host)
  })

  describe('names that do not resolve', () => {
    test.each([
      ['unknown', () => Promise.reject(new Error('ENOTFOUND')), 'no_answer'],
      ['without an address', async () => [], 'no_answer'],
      ['never answered', () => new Promise<never>(() => undefined), 'too_slow'],
    ] as const)('%s', async (_, resolve, reason) => {
      expect(await reasonOf(ask('http://name.example.org/', { resolve, timeoutMs: 100 }))).toBe(reason)
    })
  })

  describe('an exempt address', () => {
    test('may lie inside', async () => {
      const body = JSON.stringify({ n: 1 })
      const headers = { 'content-type': 'application/json' }
      const answered = await ask(here('/hook'), { exempt: isHere, method: 'POST', headers, body })
      expect(answered.status).toBe(200)
      expect(await answered.text()).toBe('xx')
      expect(asked).toMatchObject([{ path: '/hook', body }])
      expect(asked[0]?.headers.get('content-type')).toBe('application/json')
    })

    test('without a body is answered without one', async () => {
      const answered = await ask(here('/empty'), { exempt: isHere })
      expect(answered.status).toBe(204)
      expect(await answered.text()).toBe('')
    })
  })

  describe('redirects', () => {
    const to = (address: string) => here(`/?to=${encodeURIComponent(address)}`)

    test('are answers like others unless followed', async () => {
      const answered = await ask(to('http://10.0.0.1/'), { exempt: isHere })
      expect([answered.status, answered.headers.get('location')]).toEqual([302, 'http://10.0.0.1/'])
    })

    test('are followed as often as asked, also by a path alone', async () => {
      const answered = await ask(to('/there'), { exempt: isHere, redirects: 1 })
      expect(answered.status).toBe(200)
      expect(asked.map(({ path }) => path)).toEqual(['/', '/there'])
      expect(await reasonOf(ask(to(to('/there')), { exempt: isHere, redirects: 1 }))).toBe('no_answer')
    })

    test.each(['http://127.0.0.1:1/', 'http://[::1]/', 'file:///etc/passwd', 'http://169.254.169.254/'])(
      'are judged anew: %s',
      async (address) => {
        expect(await reasonOf(ask(to(address), { exempt: isHere, redirects: 3 }))).toBe('not_allowed')
      },
    )

    test('take headers along only to the same server', async () => {
      const other = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: ({ headers }) => Response.json(headers),
      })
      const headers = { 'x-signature': 'abc' }
      const answered = await ask(to(other.url.href), { exempt: () => true, redirects: 1, headers })
      expect(await answered.text()).not.toContain('abc')
      expect(asked[0]?.headers.get('x-signature')).toBe('abc')
      await other.stop(true)
    })
  })

  describe('an answer', () => {
    test.each(['/?size=1000', '/?size=1000&stream'])('of the allowed size is read: %s', async (path) => {
      const answered = await ask(here(path), { exempt: isHere })
      expect((await answered.arrayBuffer()).byteLength).toBe(1000)
    })

    test.each(['/?size=1001', '/?size=1001&stream', '/?size=5000000&stream'])(
      'too long: %s',
      async (path) => {
        const answered = await ask(here(path), { exempt: isHere })
        expect(await reasonOf(answered.arrayBuffer())).toBe('too_large')
      },
    )

    test('that does not begin, or does not end, is too slow', async () => {
      const patience = { exempt: isHere, timeoutMs: 100 }
      expect(await reasonOf(ask(here('/hang'), patience))).toBe('too_slow')
      // Long enough for the answer to begin on a busy machine.
      const drip = ask(here('/drip'), { ...patience, timeoutMs: 500 })
      expect(await reasonOf(drip.then((answered) => answered.arrayBuffer()))).toBe('too_slow')
    })

    test('of nobody is none', async () => {
      expect(await reasonOf(ask('http://127.0.0.1:1/', { exempt: () => true }))).toBe('no_answer')
    })
  })
})

describe('pinned requests', () => {
  const NAME = 'files.example.org'

  let server: Server
  let port = 0
  let certificate = ''
  let folder = ''
  const seen: { host: string | undefined; serverName: unknown }[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'playshelf-tls-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    await Bun.$`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${key} -out ${cert} -days 2 -subj ${`/CN=${NAME}`} -addext ${`subjectAltName=DNS:${NAME}`}`.quiet()
    certificate = await Bun.file(cert).text()
    server = createServer({ key: await Bun.file(key).text(), cert: certificate }, (request, answer) => {
      seen.push({ host: request.headers.host, serverName: (request.socket as TLSSocket).servername })
      answer.end('here')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  })

  const ask = (name: string, addresses: readonly string[]) =>
    fetchPinned(new URL(`https://${name}:${port}/`), addresses, { tls: { ca: certificate } })

  async function codeOf(work: Promise<unknown>): Promise<unknown> {
    return await work.then(
      () => null,
      (error: { code?: unknown }) => error.code,
    )
  }

  describe('a connection to an address we chose', () => {
    test('still asks for the name and checks its certificate', async () => {
      const answer = await ask(NAME, ['127.0.0.1'])
      expect(await answer.text()).toBe('here')
      expect(seen).toEqual([{ host: `${NAME}:${port}`, serverName: NAME }])
    })

    test('refuses a certificate of another name', async () => {
      expect(await codeOf(ask('other.example.org', ['127.0.0.1']))).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    })

    test('refuses a certificate nobody vouches for', async () => {
      const url = new URL(`https://${NAME}:${port}/`)
      expect(await codeOf(fetchPinned(url, ['127.0.0.1'], {}))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    })

    test('goes to the next address where nobody listens', async () => {
      const answer = await ask(NAME, ['127.0.0.2', '::1', '127.0.0.1'])
      expect(await answer.text()).toBe('here')
    })
  })
})
