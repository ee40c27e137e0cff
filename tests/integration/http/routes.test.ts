import { describe, expect, test } from 'bun:test'

import { type LimitRow, LIMITS } from '../../../src/domain/limit-table.ts'
import { RESERVED_NAMES } from '../../../src/features/listings/page/names.ts'
import { isListingWrite } from '../../../src/http/access/listing-writes.ts'
import { ACCESS } from '../../../src/http/server/admission.ts'
import { SELLING_ENV } from '../../helpers/selling/selling.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore(SELLING_ENV)

interface Declared {
  route: string
  access: unknown
  limits: unknown[]
}

function readRoutes(): Declared[] {
  return server.app.routes.map(({ method, path, hooks }) => {
    const detail: Record<string, unknown> = hooks.detail ?? {}
    const limits = detail['x-limits']
    return {
      route: `${method} ${path}`,
      access: detail['x-access'],
      limits: Array.isArray(limits) ? limits : [],
    }
  })
}

describe('the route table', () => {
  test('every route says who may use it', () => {
    const silent = readRoutes().filter(({ access }) => !ACCESS.some((known) => known === access))
    expect(silent).toEqual([])
  })

  test('private routes are never open', () => {
    const routes = readRoutes().filter(({ route }) => route.includes(' /api/v1/private'))
    expect(routes.length).toBeGreaterThan(0)
    const withSession = new Set<unknown>(['website', 'website_or_agent', 'website_or_player'])
    expect(routes.filter(({ access }) => !withSession.has(access))).toEqual([])
  })

  test('tool routes take deploy keys alone', () => {
    const routes = readRoutes().filter(({ route }) => route.includes(' /api/v1/tool'))
    expect(routes.length).toBeGreaterThan(0)
    const others = routes.filter(({ access }) => access !== 'deploy_key')
    // Pipelines get their key there.
    expect(others.map(({ route }) => route)).toEqual(['POST /api/v1/tool/upload/token'])
  })

  test('public routes read a bearer and never a cookie', () => {
    const routes = readRoutes().filter(({ route }) => route.includes(' /api/v1/public'))
    expect(routes.filter(({ access }) => access !== 'visitor' && access !== 'player')).toEqual([])
  })

  test('player routes read a bearer with their own scope, and are counted', () => {
    const routes = readRoutes().filter(({ route }) => route.includes(' /api/v1/player/'))
    expect(routes.length).toBe(11)
    const bearers = new Set(['visitor', 'player', 'saver'])
    expect(routes.filter(({ access }) => !bearers.has(String(access)))).toEqual([])
    expect(routes.filter(({ limits }) => limits.length === 0)).toEqual([])
  })

  test('forms of the studio are counted like the writes of the API', () => {
    const forms = readRoutes().filter(({ route }) => route.startsWith('POST /studio/:uid'))
    expect(forms.length).toBeGreaterThan(20)
    expect(forms.filter(({ limits }) => !limits.includes('listing_write'))).toEqual([])
  })

  test('no listing can take the name of a page of the studio', () => {
    const pages = readRoutes().flatMap(({ route }) => / \/studio\/([a-z-]+)(?:\/|$)/.exec(route)?.[1] ?? [])
    expect(pages.filter((page) => !RESERVED_NAMES.has(page))).toEqual([])
  })

  test('private writes name their listing so that they can be counted', () => {
    const writes = server.app.routes.filter(({ method, path }) => isListingWrite(method, path))
    expect(writes.length).toBeGreaterThan(30)
    expect(writes.filter(({ path }) => !path.startsWith('/api/v1/private/games/:uid'))).toEqual([])
    const others = server.app.routes.filter(({ method, path }) => {
      const isWrite = method !== 'GET' && path.startsWith('/api/v1/private/') && path.includes('/games/:')
      return isWrite && !isListingWrite(method, path)
    })
    expect(others.filter(({ path }) => !path.startsWith('/api/v1/private/games/:uid/upload/'))).toEqual(
      others.filter(({ path }) => path === '/api/v1/private/follows/games/:uid'),
    )
  })

  test('every write of an account is counted', () => {
    const uncounted = readRoutes().filter(({ route, access, limits }) => {
      const [method = '', path = ''] = route.split(' ')
      if (method === 'GET' || limits.length > 0 || isListingWrite(method, path)) return false
      return access === 'page' || path.startsWith('/api/v1/private/')
    })
    expect(uncounted.map(({ route }) => route)).toEqual([
      // Counted per game, by the service.
      'POST /api/v1/private/games/:uid/upload/files',
      'POST /api/v1/private/games/:uid/upload/sessions',
      'DELETE /api/v1/private/games/:uid/upload/sessions/:session_id',
      // Cookies alone.
      'POST /announcement/dismiss',
      'POST /theme',
      'POST /sign-out',
    ])
  })

  test('what everyone shares is behind a row per address', () => {
    const rows: [string, LimitRow][] = Object.entries(LIMITS)
    const shared = rows.filter(([, { per }]) => per === 'everyone').map(([name]) => name)
    const shares = rows.flatMap(([, { per, within }]) => (per === 'ip' && within ? [within] : []))
    expect(shared.length).toBeGreaterThan(0)
    expect(shares).toEqual(shared)
    const named = new Set(readRoutes().flatMap(({ limits }) => limits))
    expect(shared.filter((name) => named.has(name))).toEqual([])
  })

  test('limits are rows of the table', () => {
    const named = readRoutes().flatMap(({ limits }) => limits)
    expect(named.filter((name) => typeof name !== 'string' || !(name in LIMITS))).toEqual([])
    expect(named).toContain('accounts')
  })
})
