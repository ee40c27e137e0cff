import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'

import { createRandom, type Random } from '../../src/lib/random.ts'
import { nastyBody, nastyText } from '../helpers/hostile/fuzz.ts'
import { usePerson, useStore } from '../helpers/store.ts'

const REQUESTS = 10_000
const RAW_REQUESTS = 500
const BATCH = 50
const SEED = 20_261_115

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
const TYPES = [
  'application/json',
  'application/json; charset=x',
  'text/plain',
  'multipart/form-data',
  'x',
  'application/x-www-form-urlencoded',
]
const HEADERS = [
  'authorization',
  'cookie',
  'origin',
  'svc_games',
  'x-access-token',
  'x-secret-key',
  'x-request-id',
  'range',
  'if-none-match',
  'accept',
  'x-forwarded-proto',
  'content-encoding',
  'user-agent',
  'referer',
  'traceparent',
]

const server = useStore({ TRUST_PROXY: '1' })
const person = usePerson(server)
let paths: string[]
beforeAll(async () => {
  paths = [
    '/',
    '/health',
    '/ready',
    '/docs',
    '/objects/a/b',
    '/api/v1/private/me',
    '/api/v1/private/player-keys',
    '/api/v1/private/player-keys/x',
    '/api/v1/public/openapi.json',
    '/api/v1/public/openapi.yaml',
    '/api/auth/sign-up/email',
    '/api/auth/sign-in/email',
    '/api/auth/sign-out',
    '/api/auth/get-session',
    '/api/auth/reset-password',
    '/api/auth/request-password-reset',
    '/api/auth/verify-email',
    '/api/auth/list-sessions',
    '/api/auth/revoke-session',
    '/api/auth/oauth2/register',
    '/api/auth/oauth2/token',
    '/api/auth/oauth2/authorize',
    '/api/auth/oauth2/consent',
    '/api/auth/oauth2/introspect',
    '/api/auth/oauth2/revoke',
    '/api/auth/jwks',
    '/api/auth/change-password',
    '/api/auth/update-user',
    '/api/auth/delete-user',
    '/api/auth/send-verification-email',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/api-catalog',
    '/mcp',
  ]
})

function nastyRequest(random: Random): { path: string; init: RequestInit } {
  const method = random.pick(METHODS)
  const headers = new Headers({
    'x-forwarded-for': `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
  })
  if (random.chance(0.8)) headers.set('content-type', random.pick(TYPES))
  if (random.chance(0.5)) headers.set('origin', server.url)
  if (random.chance(0.3)) headers.set('cookie', person.cookie)
  for (let extra = random.below(3); extra > 0; extra -= 1)
    setHeader(headers, random.pick(HEADERS), nastyText(random))
  const hasBody = !['GET', 'HEAD'].includes(method) && random.chance(0.8)
  return {
    path: nastyPath(random),
    init: { method, headers, ...(hasBody ? { body: nastyBody(random) } : {}) },
  }
}

function nastyPath(random: Random): string {
  let path = random.pick(paths)
  if (random.chance(0.3)) path += `/${encode(random, nastyText(random))}`
  if (random.chance(0.1)) path = path.replace(/\/[^/]+$/, `/${encode(random, nastyText(random))}`)
  if (random.chance(0.4))
    path += `?${encode(random, nastyText(random))}=${encode(random, nastyText(random))}&page=${encode(random, nastyText(random))}`
  return path
}

function encode(random: Random, text: string): string {
  return random.chance(0.5)
    ? encodeURIComponent(text.toWellFormed())
    : text.replaceAll(/\s/g, '').replaceAll('\u0000', '')
}

/** What cannot even be written as a header is not sent; the raw requests below do that. */
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch {
    headers.delete(name)
  }
}

function faultOf(path: string, status: number, type: string, text: string): string | null {
  if (status >= 500) return `${status}: ${text.slice(0, 300)}`
  if (/\n\s+at |node_modules|\.ts:\d+/.test(text)) return `tells its insides: ${text.slice(0, 300)}`
  const isOurs = !path.startsWith('/api/auth') || status === 429
  if (
    status >= 400 &&
    isOurs &&
    text !== '' &&
    !(type.includes('json') && text.startsWith('{"success":false'))
  ) {
    return `${status} without the envelope: ${text.slice(0, 200)}`
  }
  return null
}

describe('malformed requests', () => {
  test(`${REQUESTS} of them bring no 5xx and no stack trace`, async () => {
    const random = createRandom(SEED)
    const faults: string[] = []
    const statuses = new Map<number, number>()
    for (let sent = 0; sent < REQUESTS; sent += BATCH) {
      await Promise.all(
        Array.from({ length: BATCH }, async () => {
          const { path, init } = nastyRequest(random)
          const answer = await server.fetch(path, init)
          const fault = faultOf(
            path,
            answer.status,
            answer.headers.get('content-type') ?? '',
            await answer.text(),
          )
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          if (fault) faults.push(`${init.method} ${path} → ${fault}`)
        }),
      )
    }
    expect(faults.slice(0, 10)).toEqual([])
    // The sweep reached the features, and not only the doors in front of them.
    for (const status of [200, 400, 401, 404, 405]) expect(statuses.get(status) ?? 0).toBeGreaterThan(20)
  })

  test(`${RAW_REQUESTS} byte sequences that are hardly HTTP leave the server standing`, async () => {
    const random = createRandom(SEED + 1)
    for (let sent = 0; sent < RAW_REQUESTS; sent += BATCH) {
      const answers = await Promise.all(Array.from({ length: BATCH }, () => sendRaw(rawRequest(random))))
      // 505 is the parser's own word for what is not HTTP/1.x at all.
      expect(answers.filter((answer) => /^HTTP\/1\.1 5(?!05)/.test(answer))).toEqual([])
    }
    expect((await server.fetch('/health')).status).toBe(200)
  })
})

function rawRequest(random: Random): string {
  const line = random.pick([
    'GET / HTTP/1.1',
    'GET  /health  HTTP/1.1',
    'BREW /pot HTTP/1.1',
    'GET /health',
    'GET /%ZZ HTTP/1.1',
    nastyText(random),
    'POST /api/v1/private/me HTTP/1.1',
    'GET http://evil.example/health HTTP/1.1',
    'GET * HTTP/1.1',
  ])
  const headers = Array.from({ length: random.below(5) }, () =>
    random.pick([
      `Host: ${nastyText(random)}`,
      'Host: localhost',
      'Content-Length: -1',
      'Content-Length: 99999999999999999999',
      'Content-Length: 5\r\nContent-Length: 6',
      'Transfer-Encoding: chunked',
      `${nastyText(random)}: x`,
      'Expect: 100-continue',
      'Connection: upgrade\r\nUpgrade: websocket',
      `Cookie: ${nastyText(random)}`,
    ]),
  )
  return `${[line, ...headers].join('\r\n')}\r\n\r\n${random.chance(0.5) ? nastyText(random) : ''}`
}

/** Whatever comes back before the server closes or falls silent. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.end(text))
    socket.setTimeout(300, () => socket.destroy())
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(answer))
  })
}
