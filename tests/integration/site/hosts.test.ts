import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { App } from '../../../src/app.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PUBLIC = {
  BASE_URL: 'https://games.example.org',
  UPLOAD_URL: 'https://upload.example.org',
  MCP_AUTH_URL: 'https://agents.example.org',
}

/** On this machine, and for everybody. */
let local: TestServer
let remote: TestServer
beforeAll(async () => {
  ;[local, remote] = await Promise.all([
    startTestServer({ TRUST_PROXY: '1' }),
    startTestServer({ ...PUBLIC, TRUST_PROXY: '1' }),
  ])
})
afterAll(() => Promise.all([local.stop(), remote.stop()]))

const openAs = (server: TestServer, host: string, path = '/', init: RequestInit = {}) =>
  server.fetch(path, {
    ...init,
    headers: { ...BROWSER, host, ...Object.fromEntries(new Headers(init.headers)) },
  })

/** Redirects have no status of their own, so both facts are compared at once. */
const leadOf = ({ status, headers }: Response) => [status, headers.get('location')]

describe('while BASE_URL is a loopback address', () => {
  test.each(['localhost', 'LocalHost.', '127.0.0.2', '[::1]', '0.0.0.0'])(
    'pages opened as %s lead to it',
    async (name) => {
      const path = '/search?q=a%20b&tags=horror'
      for (const method of ['GET', 'HEAD']) {
        const answer = await openAs(local, `${name}:${local.port}`, path, { method })
        expect(leadOf(answer)).toEqual([307, local.url + path])
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
      }
    },
  )

  test('it leads to localhost where that is the address', async () => {
    const server = await startTestServer({ BASE_URL: 'http://localhost:4321' })
    try {
      expect(leadOf(await openAs(server, '127.0.0.1:4321', '/sign-in'))).toEqual([
        307,
        'http://localhost:4321/sign-in',
      ])
      // Nobody may listen there: only the page can say so.
      expect((await openAs(server, '127.0.0.1:9999')).status).toBe(421)
      expect((await openAs(server, 'localhost:4321')).status).toBe(200)
    } finally {
      await server.stop()
    }
  })

  test('a path that looks like an address stays a path', async () => {
    const answer = await openAs(local, `localhost:${local.port}`, '//evil.example/')
    expect(answer.headers.get('location')).toStartWith(`${local.url}/`)
  })
})

describe('a page opened by an unknown host', () => {
  test('names the address of the store, and how to change it', async () => {
    const answer = await openAs(local, '192.168.1.5:8080', '/games/x?a=1')
    const page = await answer.text()
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([421, 'private, no-store'])
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(page).toContain(`href="${local.url}/games/x?a=1"`)
    expect(page).toContain('BASE_URL=http://192.168.1.5:8080')
  })

  test('is https where the store is', async () => {
    const page = await (await openAs(remote, 'www.example.org')).text()
    expect(page).toContain('href="https://games.example.org/"')
    expect(page).toContain('BASE_URL=https://www.example.org')
  })

  test.each(['"><script>alert(1)</script>', 'a b', '%00', 'x'.repeat(5000)])(
    'repeats no host that is none: %s',
    async (host) => {
      const answer = await openAs(local, host)
      expect(answer.status).toBeLessThan(500)
      expect(await answer.text()).not.toContain('<script>alert')
    },
  )

  test('loads its style from there', async () => {
    const [, style = ''] =
      /rel="stylesheet" href="([^"]+)"/.exec(await (await openAs(local, 'a.example')).text()) ?? []
    expect((await openAs(local, 'a.example', style)).status).toBe(200)
  })
})

describe('at any host', () => {
  test.each([
    ['a page of the store', 'games.example.org', '/', BROWSER],
    ['a port that a proxy named', 'games.example.org:8443', '/', BROWSER],
    ['the host of uploads', 'upload.example.org', '/', BROWSER],
    ['the host of the agents', 'agents.example.org', '/sign-in', BROWSER],
    ['a proxy on the same machine', '127.0.0.1:8080', '/', BROWSER],
    ['a program that asks for a page', '10.0.0.7', '/', { accept: '*/*' }],
    ['the API', '10.0.0.7', '/api/v1/public/search', BROWSER],
    ['the health check', '10.0.0.7', '/health', BROWSER],
    ['the readiness check', '10.0.0.7', '/ready', BROWSER],
    [
      'a proxy that says which host it had',
      'api:8080',
      '/',
      { ...BROWSER, 'x-forwarded-host': 'games.example.org' },
    ],
    ['a proxy that names itself', '127.0.0.1:8080', '/', { ...BROWSER, 'x-forwarded-for': '192.0.2.1' }],
    ['a proxy that names a service', 'api:8080', '/', { ...BROWSER, 'x-forwarded-for': '192.0.2.1' }],
  ])('%s is served', async (_, host, path, headers) => {
    const answer = await remote.fetch(path, { headers: { host, ...headers } })
    expect(answer.status).toBe(200)
  })

  test('events of the payment service arrive', async () => {
    const answer = await remote.fetch('/api/v1/stripe/webhook', {
      method: 'POST',
      headers: { host: '10.0.0.7', 'content-type': 'application/json' },
      body: '{}',
    })
    expect([307, 421]).not.toContain(answer.status)
  })
})

interface Hooks {
  detail?: { 'x-page'?: boolean }
}

/** The addresses of forms, from the routes themselves, with made-up names. */
function formsOf(app: App): { path: string; hasPage: boolean }[] {
  const pages = app.routes.filter(({ hooks }) => (hooks as Hooks).detail?.['x-page'] === true)
  const opened = new Set(pages.filter(({ method }) => method === 'GET').map(({ path }) => path))
  return pages
    .filter(({ method }) => method === 'POST')
    .map(({ path }) => ({ path: path.replaceAll(/:[a-z_]+/g, 'x'), hasPage: opened.has(path) }))
}

describe('every form', () => {
  test('that is refused at the door answers with a page', async () => {
    const forms = formsOf(local.app)
    expect(forms.length).toBeGreaterThan(100)
    const refusals: [string, Record<string, string>, string][] = [
      ['foreign', { origin: 'http://localhost:1' }, 'a=1'],
      ['of the wrong type', { origin: local.url, 'content-type': 'text/plain' }, 'a=1'],
      ['too large', { origin: local.url }, `a=${'b'.repeat(1024 * 1024)}`],
    ]
    for (const [name, headers, body] of refusals) {
      for (const { path } of name === 'foreign' ? forms : forms.slice(0, 12)) {
        const answer = await local.fetch(path, {
          method: 'POST',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            ...(path.startsWith('/operate') ? BROWSER : { accept: '*/*' }),
            ...headers,
          },
          body,
        })
        const type = answer.headers.get('content-type')
        if (name !== 'of the wrong type')
          expect([path, name, type]).toEqual([path, name, 'text/html; charset=utf-8'])
        expect(answer.status).toBeWithin(400, 500)
      }
    }
  })

  test('says where to open it when it was opened elsewhere', async () => {
    const answer = await openAs(local, local.url.slice(7), '/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost:1' },
      body: 'email=a',
    })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain(local.url)
  })

  test('sent to a page that takes none answers with a page', async () => {
    const answer = await openAs(local, local.url.slice(7), '/search', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: local.url },
      body: 'a=1',
    })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(await answer.text()).toStartWith('<!doctype html>')
  })

  test('leads back to its page when its address is opened', async () => {
    const open = formsOf(local.app).filter(({ hasPage }) => !hasPage)
    expect(open.length).toBeGreaterThan(60)
    for (const { path } of open) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await openAs(local, local.url.slice(7), path, { method })
        expect([path, answer.status]).toEqual([path, 303])
        expect(path).toStartWith((answer.headers.get('location') ?? 'none').replace(/#.*/, ''))
      }
    }
  })

  test.each([
    ['/games/a-game/review', '/games/a-game'],
    ['/games/a-game/review/delete?x=1', '/games/a-game'],
    ['/studio/a-game/builds/web-player', '/studio/a-game/builds'],
    ['/studio/a-game/builds/b1/delete', '/studio/a-game/builds/b1'],
    ['/studio/preview', '/studio'],
    ['/operate/files/f1/rescan', '/operate'],
    ['/theme', '/'],
  ])('%s leads to %s', async (path, page) => {
    expect(leadOf(await openAs(local, local.url.slice(7), path))).toEqual([303, page])
  })
})
