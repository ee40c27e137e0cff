import { beforeAll, describe, expect, test } from 'bun:test'

import { LIBRARY_ROUTES } from '../../../../src/features/accounts/sign-in/auth-routes.ts'
import { createAuth } from '../../../../src/features/accounts/sign-in/auth.ts'
import { isObject } from '../../../../src/lib/field-readers.ts'
import { readJson } from '../../../helpers/json.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { ageConfirmation } from '../../../helpers/sign-in/factors.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

interface Endpoint {
  path: string
  methods: string[]
  /** Something of the right shape for its body and query, as far as it describes them. */
  sample: Record<string, unknown>
}

const server = useStore({ TRUST_PROXY: '1' })
let person: Person
let endpoints: Endpoint[]

beforeAll(async () => {
  person = await signUp(server)
  endpoints = readEndpoints((await createAuth(server.deps)).api)
})

/** The library's own table, with those that it keeps for calls within the server. */
function readEndpoints(api: object): Endpoint[] {
  return Object.values(api).flatMap((endpoint: unknown) => {
    const { path, options } = endpoint as { path?: string; options: Record<string, unknown> }
    if (path === undefined) return []
    const methods = [options.method ?? 'GET'].flat().map(String)
    const shapes = [sampleOf(options.query), sampleOf(options.body)].filter(isObject)
    return [{ path, methods, sample: Object.assign({}, ...shapes) as Record<string, unknown> }]
  })
}

/** Of the kind that a zod schema wants. */
function sampleOf(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema.def)) return 'x'
  const { type, innerType, element, options, entries, values, in: input } = schema.def
  if (isObject(schema.shape)) {
    return Object.fromEntries(Object.entries(schema.shape).map(([name, inner]) => [name, sampleOf(inner)]))
  }
  switch (type) {
    case 'array':
      return [sampleOf(element)]
    case 'boolean':
      return true
    case 'number':
      return 1
    case 'record':
      return {}
    case 'enum':
      return isObject(entries) ? Object.values(entries)[0] : 'x'
    case 'literal':
      return Array.isArray(values) ? values[0] : 'x'
    case 'union':
      return Array.isArray(options) ? sampleOf(options[0]) : 'x'
    default:
      return innerType === undefined && input === undefined ? 'x' : sampleOf(innerType ?? input)
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const isListed = (route: string) => LIBRARY_ROUTES.some((listed) => listed === route)

/** The field of a body, for the query of a GET. */
function textOf(body: unknown, name: string): string {
  const value = isObject(body) ? body[name] : body
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

async function call(method: string, path: string, body?: unknown): Promise<number> {
  const url = `/api/auth${path.replaceAll(/:\w+/g, 'x')}`
  const answer = await server.fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      // Another one each time, because an address may ask only so often.
      'x-forwarded-for': randomAddress(),
      origin: server.url,
      cookie: person.cookie,
    },
    redirect: 'manual',
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  })
  return answer.status
}

describe('the routes of the account library', () => {
  test('of the list are all its own, and name every address that programs are told', async () => {
    const routes = new Set(
      endpoints.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`)),
    )
    expect(LIBRARY_ROUTES.filter((route) => !routes.has(route))).toEqual([])
    const told = await readJson<Record<string, unknown>>(
      await server.fetch('/.well-known/oauth-authorization-server'),
    )
    const base = `${server.url}/api/auth`
    const paths = Object.values(told)
      .filter((value): value is string => typeof value === 'string' && value.startsWith(`${base}/`))
      .map((address) => address.slice(base.length))
    expect(paths).toContain('/oauth2/token')
    expect(paths.filter((path) => !LIBRARY_ROUTES.some((route) => route.endsWith(` ${path}`)))).toEqual([])
  })

  test('outside the list are 404, with every method and spelling', async () => {
    const open: string[] = []
    for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
      for (const method of METHODS) {
        const spellings = [`${path}/`, `/${path}`, path.replace('-', '%2D'), path.toUpperCase()]
        const isDoor = isListed(`${method} ${path}`)
        for (const spelling of isDoor ? [] : [path, ...spellings]) {
          if ((await call(method, spelling)) !== 404) open.push(`${method} ${spelling}`)
        }
      }
    }
    expect(open).toEqual([])
    expect(endpoints.length).toBeGreaterThan(60)
  })

  test('never fail on junk', async () => {
    const junk = ['x', '', 1, true, null, [], {}, ['x'], '\u{10FFFF}', 'a=b&sig=c', '9'.repeat(400)]
    const failed: string[] = []
    for (const { path, methods, sample } of endpoints) {
      const names = [...new Set(['id', 'token', 'code', 'client_id', 'oauth_query', ...Object.keys(sample)])]
      const filled = junk.map((value) => Object.fromEntries(names.map((name) => [name, value])))
      for (const method of methods) {
        for (const body of [sample, ...junk, ...filled]) {
          const query = names.map((name) => `${name}=${encodeURIComponent(textOf(body, name))}`)
          const url = method === 'GET' ? `${path}?${query.join('&')}` : path
          const status = await call(method, url, body)
          if (status >= 500) failed.push(`${method} ${url} ${JSON.stringify(body)}: ${status}`)
        }
        // Signing out is one of them.
        if (path === '/sign-out' || path.startsWith('/revoke')) person = await signUp(server)
      }
    }
    expect(failed).toEqual([])
  })

  test('give a program no scope that its person did not confirm', async () => {
    const owner = await signUp(server)
    await obtainToken(server, owner, 'mcp:builds.read')
    await ageConfirmation(server, owner)
    const list = await owner.fetch('/api/auth/oauth2/get-consents')
    const id = list.ok ? (await readJson<{ id: string }[]>(list))[0]?.id : crypto.randomUUID()
    const update = { scopes: ['mcp:builds.read', 'mcp:builds.write'] }
    expect((await owner.json('POST', '/api/auth/oauth2/update-consent', { id, update })).status).toBe(404)
  })
})
