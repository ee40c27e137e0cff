import { beforeAll, describe, expect, test } from 'bun:test'

import { insertBuild, issueDeployKey } from '../helpers/builds.ts'
import { insertLink } from '../helpers/extstore/extstore-links.ts'
import { filledField, nested, SHAPES, WIDE } from '../helpers/hostile/hostile-json.ts'
import { readData, readFailure } from '../helpers/json.ts'
import { insertPublicGame } from '../helpers/listings.ts'
import { signUpOperator } from '../helpers/operators.ts'
import { randomAddress } from '../helpers/people.ts'
import { watchLoop } from '../helpers/processes/loop-lag.ts'
import { SELLING_ENV } from '../helpers/selling/selling.ts'
import { obtainToken } from '../helpers/sign-in/oauth.ts'
import { useStore } from '../helpers/store.ts'

/** Far above what a busy machine adds, far below the seconds that one such body took. */
const LAG_MAX_MS = 1000
const TOO_DEEP = [65, 20_000, 100_000]

interface Route {
  method: string
  path: string
  hasBody: boolean
  headers: Record<string, string>
}

interface Failure {
  issues?: { path: string; message: string }[]
}

const OPERATORS = 8

const server = useStore({ TRUST_PROXY: '1', ...SELLING_ENV })
let routes: Route[]
/** Of several operators in turn: one alone would pass the limit of an account's writes. */
let cookies: string[]
let sent = 0

beforeAll(async () => {
  const people = await Promise.all(Array.from({ length: OPERATORS }, () => signUpOperator(server)))
  const [person] = people
  if (!person) throw new Error('Nobody signed up')
  cookies = people.map(({ cookie }) => cookie)
  const game = await insertPublicGame(server, person)
  const build = await insertBuild(server, game.uid)
  const link = await insertLink(server.deps, game.uid)
  const key = await readData<{ key: string }>(
    await person.json('POST', '/api/v1/private/player-keys', {
      label: 'x',
      scopes: ['player:read', 'player:bugs', 'player:saves'],
    }),
  )
  const { access_token } = await obtainToken(server, person, 'mcp:catalog.read')
  const session = { cookie: person.cookie, origin: server.url }
  const credentials: Record<string, Record<string, string>> = {
    website: session,
    website_or_agent: session,
    website_or_player: session,
    operator: session,
    agent: { authorization: `Bearer ${access_token}` },
    player: { authorization: `Bearer ${key.key}` },
    reporter: { authorization: `Bearer ${key.key}` },
    saver: { authorization: `Bearer ${key.key}` },
    deploy_key: { ...(await issueDeployKey(server, game.uid)) },
    game_server: { authorization: `Bearer ${link.authKey}` },
    visitor: { 'x-app-id': game.uid, 'x-build-id': build.uid },
  }
  routes = server.app.routes
    .filter(({ method, path }) => method !== 'GET' && !path.includes('*'))
    .map(({ method, path, hooks }) => {
      const detail: Record<string, unknown> = hooks.detail ?? {}
      return {
        method,
        path: path.replace(/:(?:game_)?uid\b/, game.uid).replaceAll(/:\w+/g, 'x'),
        hasBody: hooks.body !== undefined,
        headers: {
          ...credentials[String(detail['x-access'])],
          'content-type': 'application/json',
        },
      }
    })
})

function routeOf(method: string, path: string): Route {
  const found = routes.find((route) => route.method === method && route.path === path)
  if (!found) throw new Error(`No route answers ${method} ${path}`)
  return found
}

/** Bodies are refused before a listing is looked for; another one each time keeps below the limit of writes to one. */
async function send({ method, path, headers }: Route, body: string) {
  const target = path.replace(/(\/private\/games\/)[^/]+/, `$1${crypto.randomUUID()}`)
  const answer = await server.fetch(target, {
    method,
    headers: {
      ...headers,
      ...(headers.cookie && { cookie: cookies[(sent += 1) % OPERATORS] }),
      'content-type': 'application/json',
      'x-forwarded-for': randomAddress(),
    },
    body,
  })
  // A form is shown again as a page.
  if (answer.headers.get('content-type')?.startsWith('text/html'))
    return { status: answer.status, code: 0, message: '', data: undefined }
  return await readFailure<Failure | undefined>(answer)
}

describe('JSON that is nested too deep', () => {
  for (const depth of TOO_DEEP) {
    for (const shape of SHAPES) {
      test(`${shape} ${depth} deep are refused by every route that takes JSON, at once`, async () => {
        const body = nested(depth, shape)
        expect(routes.filter(({ hasBody }) => hasBody).length).toBeGreaterThan(25)
        for (const route of routes) {
          const { value, lag } = await watchLoop(() => send(route, body))
          const name = `${route.method} ${route.path}`
          expect([name, value.status < 500]).toEqual([name, true])
          if (route.hasBody) {
            const { code, data } = value
            expect([name, code, data?.issues]).toEqual([
              name,
              4000,
              [{ path: '', message: 'The body is nested more than 64 levels deep.' }],
            ])
          }
          expect([name, lag < LAG_MAX_MS || lag]).toEqual([name, true])
        }
      })
    }
  }

  test('64 levels are read, and judged like any other body', async () => {
    for (const shape of SHAPES) {
      const { code, data } = await send(routeOf('POST', '/api/v1/public/events'), nested(64, shape))
      expect(code).toBe(4000)
      expect(JSON.stringify(data)).not.toContain('nested')
    }
  })

  test('brackets inside of texts are no levels', async () => {
    const name = `${'['.repeat(500)}\\"${'{'.repeat(500)}\\\\`
    const { data } = await send(routeOf('POST', '/api/v1/public/events'), `{"events":[{"name":"${name}"}]}`)
    expect(JSON.stringify(data?.issues)).toContain('events.0.name')
  })

  test('as the opening of an upload session', async () => {
    const route = routeOf('POST', '/api/v1/tool/upload/sessions')
    expect(await send(route, nested(65))).toMatchObject({ code: 4000, status: 400 })
  })
})

describe('the account routes', () => {
  const AUTH_PATHS = [
    'sign-up/email',
    'sign-in/email',
    'request-password-reset',
    'reset-password',
    'update-user',
    'oauth2/register',
    'oauth2/token',
    'oauth2/consent',
    'oauth2/revoke',
    'oauth2/introspect',
  ]
  const post = (path: string, body: string, type = 'application/json') =>
    server.fetch(`/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': type, origin: server.url, 'x-forwarded-for': randomAddress() },
      body,
    })

  test.each(AUTH_PATHS)('%s refuses what is nested too deep, at once', async (path) => {
    for (const depth of TOO_DEEP) {
      for (const type of ['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/x+json']) {
        const { value, lag } = await watchLoop(() => post(path, `{"name":${nested(depth)}}`, type))
        const { status, code, data } = await readFailure<Failure>(value)
        expect({ status, code, lag: lag < LAG_MAX_MS }).toEqual({ status: 400, code: 4000, lag: true })
        expect(data.issues).toHaveLength(1)
      }
    }
  })

  test('a wide body is refused as fast as a deep one', async () => {
    const bodies = [
      ...Object.values(WIDE),
      filledField('redirect_uris', '1'),
      filledField('redirect_uris', '{}'),
    ]
    for (const path of AUTH_PATHS) {
      for (const body of bodies) {
        const { value, lag } = await watchLoop(async () => {
          const answer = await post(path, body)
          return { status: answer.status, length: (await answer.text()).length }
        })
        expect([path, value.status < 500, value.length < 100_000, lag < LAG_MAX_MS || lag]).toEqual([
          path,
          true,
          true,
          true,
        ])
      }
    }
  })

  test('a form with as many fields as fit is refused as well', async () => {
    const body = 'a=1&'.repeat(250_000)
    const { value, lag } = await watchLoop(() =>
      post('oauth2/token', body, 'application/x-www-form-urlencoded'),
    )
    expect({ status: value.status, lag: lag < LAG_MAX_MS || lag }).toEqual({ status: 413, lag: true })
  })

  test('other kinds of bodies are not read at all', async () => {
    for (const type of [
      'multipart/form-data; boundary=x',
      'multipart/form-data+application/json',
      'text/plain',
    ]) {
      expect((await readFailure(await post('sign-in/email', '[]', type))).code).toBe(4150)
    }
  })
})

describe('JSON that is wide', () => {
  test.each(Object.keys(WIDE))('%s: no route is busy with it for long', async (name) => {
    for (const route of routes) {
      const { value, lag } = await watchLoop(() => send(route, WIDE[name] ?? ''))
      const called = `${route.method} ${route.path}`
      expect([called, value.status < 500, lag < LAG_MAX_MS || lag]).toEqual([called, true, true])
      expect(value.data?.issues?.length ?? 0).toBeLessThanOrEqual(20)
      expect(JSON.stringify(value).length).toBeLessThan(20_000)
    }
  })

  const event = '{"name":"boot_ok","device_id":"d","session_id":"s","at":"2026-01-01T00:00:00Z"}'
  test.each([
    ['/api/v1/public/events', 'events', '1'],
    ['/api/v1/public/events', 'events', '[]'],
    ['/api/v1/public/events', 'events', event],
    ['/api/v1/public/crashes', 'frames', '{}'],
    ['/api/v1/private/games', 'similar_titles', '1'],
    ['/api/v1/private/games', 'similar_titles', '"x"'],
    ['/api/v1/private/games', 'dependencies', '{}'],
    ['/api/v1/private/games', 'genres', '"x"'],
    ['/api/v1/private/games', 'tags', '"x"'],
    ['/api/v1/private/player-keys', 'scopes', '"player:read"'],
  ])('%s with a megabyte of %s: %s', async (path, field, element) => {
    const body = filledField(field, element)
    const { value, lag } = await watchLoop(() => send(routeOf('POST', path), body))
    expect([value.status < 500, lag < LAG_MAX_MS || lag]).toEqual([true, true])
    expect(value.data?.issues?.length ?? 0).toBeLessThanOrEqual(20)
    expect(JSON.stringify(value).length).toBeLessThan(20_000)
  })

  const long = 'x'.repeat(900_000)
  test.each<[string, string, object]>([
    ['POST', '/api/v1/private/games', { name: 'A', asset_type: 'game', genres: [long] }],
    ['POST', '/api/v1/private/games', { name: 'A', asset_type: 'game', tags: [long] }],
    ['POST', '/api/v1/private/games', { name: 'A', asset_type: 'game', similar_titles: [long] }],
    ['POST', '/api/v1/private/games', { name: 'A', asset_type: 'mod', parent: long }],
    ['POST', '/api/v1/private/games', { [long]: 1 }],
    ['POST', '/api/v1/tool/upload/build', { version: '1', os: long, arch: 'x86_64' }],
    ['POST', '/api/v1/tool/upload/build', { version: '1', os: 'linux', arch: 'x86_64', app: long }],
    ['POST', '/api/v1/tool/upload/build', { [long]: 1 }],
    ['POST', '/api/v1/tool/upload/sessions', { [long]: 1 }],
  ])('%s %s does not repeat a text of a megabyte (%#)', async (method, path, body) => {
    const failure = await send(routeOf(method, path), JSON.stringify(body))
    expect([failure.status >= 400, failure.status < 500]).toEqual([true, true])
    expect(JSON.stringify(failure).length).toBeLessThan(2000)
  })
})
