import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parseAllDocuments } from 'yaml'

import type { Role } from '../../../src/config/config.ts'
import { readFailure } from '../../helpers/json.ts'
import { SELLING_ENV } from '../../helpers/selling/selling.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'

/** What is served at UPLOAD_URL. Every other route of the program belongs to `api`. */
const OF_UPLOAD = [
  'POST /api/v1/tool/upload/files',
  'POST /api/v1/tool/upload/sessions',
  'GET /api/v1/tool/upload/sessions/:session_id',
  'DELETE /api/v1/tool/upload/sessions/:session_id',
  'POST /api/v1/tool/upload/sessions/:session_id/copy',
  'GET /api/v1/tool/upload/files/:file_uid/entries',
  'GET /api/v1/tool/upload/files/:file_uid/contents',
  'POST /api/v1/tool/upload/symbols',
  'POST /api/v1/private/games/:uid/upload/files',
  'POST /api/v1/private/games/:uid/upload/sessions',
  'GET /api/v1/private/games/:uid/upload/sessions',
  'GET /api/v1/private/games/:uid/upload/sessions/:session_id',
  'DELETE /api/v1/private/games/:uid/upload/sessions/:session_id',
]
const OF_EVERYONE = ['GET /health', 'GET /ready']

interface Ingress {
  spec: {
    rules: { host: string; http: { paths: { path: string; backend: { service: { name: string } } }[] } }[]
  }
}

let servers: Record<Role, TestServer>
beforeAll(async () => {
  const start = (ROLE: Role) => startTestServer({ ROLE, ...SELLING_ENV })
  const [all, api, upload, worker] = await Promise.all([
    start('all'),
    start('api'),
    start('upload'),
    start('worker'),
  ])
  servers = { all, api, upload, worker }
})
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.stop()))
})

const routesOf = (role: Role) =>
  servers[role].app.routes.map(({ method, path }) => `${method} ${path}`).sort()

describe('the routes of', () => {
  test('upload are those of UPLOAD_URL', () => {
    expect(routesOf('upload')).toEqual([...OF_UPLOAD, ...OF_EVERYONE].sort())
  })

  test('api are all the others', () => {
    const others = routesOf('all').filter((route) => !OF_UPLOAD.includes(route))
    expect(others.length).toBeGreaterThan(100)
    expect(routesOf('api')).toEqual(others)
  })

  test('all are those of both', () => {
    expect(routesOf('all')).toEqual([...new Set([...routesOf('api'), ...routesOf('upload')])].sort())
  })

  test('worker say how it is', () => {
    expect(routesOf('worker')).toEqual(OF_EVERYONE)
  })
})

const fill = (path: string) => path.replace(/:\w+|\*/g, 'x')

test.each(['api', 'upload', 'worker'] as const)(
  '%s answers the routes of others with 404/4040',
  async (role) => {
    const own = new Set(routesOf(role))
    const foreign = routesOf('all').filter((route) => !own.has(route))
    expect(foreign.length).toBeGreaterThan(0)
    for (const route of foreign) {
      const [method = '', path = ''] = route.split(' ')
      const url = servers[role].url + path.replace(/:\w+|\*/g, 'x')
      const answer = await fetch(url, { method: method === 'ALL' ? 'GET' : method })
      expect({ route, ...(await readFailure(answer)) }).toMatchObject({ route, status: 404, code: 4040 })
    }
  },
)

describe('the ingress of Kubernetes', () => {
  const text = readFileSync(join(import.meta.dir, '../../../infra/kubernetes/ingress.yaml'), 'utf8')
  const rules = parseAllDocuments(text).flatMap((document) => {
    const { spec }: Ingress = document.toJS()
    return spec.rules.flatMap(({ host, http }) => http.paths.map((rule) => ({ host, ...rule })))
  })

  /** As ingress-nginx does where a path of the host is an expression: the longest comes first. */
  function serviceOf(host: string, path: string): string | undefined {
    const candidates = rules.filter((rule) => rule.host === host)
    return candidates
      .sort((a, b) => b.path.length - a.path.length)
      .find((rule) => new RegExp(`^${rule.path}`, 'i').test(path))?.backend.service.name
  }

  test.each(['api', 'upload'] as const)('leads from BASE_URL to every route of %s', (role) => {
    const routes = routesOf(role).filter((route) => !OF_EVERYONE.includes(route))
    const lost = routes.filter((route) => {
      const path = fill(route.slice(route.indexOf('/')))
      return serviceOf('games.example.org', path) !== `playshelf-${role}`
    })
    expect(lost).toEqual([])
  })

  test('leads from UPLOAD_URL to upload alone', () => {
    expect(serviceOf('upload.games.example.org', '/api/v1/tool/upload/files')).toBe('playshelf-upload')
    expect(serviceOf('upload.games.example.org', '/docs')).toBe('playshelf-upload')
  })
})
