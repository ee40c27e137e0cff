import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../src/db/schema/accounts.ts'
import { AGENT_SCOPES } from '../../../src/domain/actor.ts'
import { OPERATOR_CASES } from '../../helpers/authorization/authorization-operator-cases.ts'
import { issueDeployKey } from '../../helpers/builds.ts'
import { readData } from '../../helpers/json.ts'
import { insertGame, verifyEmail } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { SELLING_ENV } from '../../helpers/selling/selling.ts'
import { obtainToken } from '../../helpers/sign-in/oauth.ts'
import { useStore } from '../../helpers/store.ts'

const ENVIRONMENT_OPERATOR = 'named@example.org'
const UNKNOWN = '/api/v1/operator/no-such-thing'

const server = useStore({
  TRUST_PROXY: '1',
  OPERATORS: `other@example.org, ${ENVIRONMENT_OPERATOR}`,
  ...SELLING_ENV,
})
let operator: Person
/** Everyone else, by the headers they send. */
let strangers: Record<string, Record<string, string>>

beforeAll(async () => {
  const [found, user, unconfirmed] = await Promise.all([
    signUpOperator(server),
    signUp(server),
    signUp(server),
  ])
  operator = found
  await verifyEmail(server, user)
  await server.deps.db.update(users).set({ operator: true }).where(eq(users.id, unconfirmed.uid))
  const key = await operator.json('POST', '/api/v1/private/player-keys', { label: 'x' })
  const game = await insertGame(server, operator)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const cookie = (person: Person) => ({ cookie: person.cookie, origin: server.url })
  strangers = {
    'signed out': {},
    'another user': cookie(user),
    'an operator whose address is not confirmed': cookie(unconfirmed),
    'an operator, from a foreign page': { cookie: operator.cookie, origin: 'https://evil.example' },
    'an operator’s player key': bearer((await readData<{ key: string }>(key)).key),
    'an operator’s player token': bearer((await obtainToken(server, operator, 'player:read')).access_token),
    'an operator’s agent': bearer((await obtainToken(server, operator, AGENT_SCOPES.join(' '))).access_token),
    'a deploy key': { ...(await issueDeployKey(server, game.uid)) },
  }
})

function bodyOf(route: string): { headers: Record<string, string>; body?: string } {
  const values = OPERATOR_CASES[route]?.body
  if (!values) return { headers: {} }
  if (route.includes(' /api/'))
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(values) }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return {
    headers,
    body: new URLSearchParams(
      Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString(),
  }
}

async function addressOf(route: string): Promise<{ method: string; path: string }> {
  const [method = '', pattern = ''] = route.split(' ')
  const params: Record<string, string> = (await OPERATOR_CASES[route]?.params?.(server, operator)) ?? {}
  return { method, path: pattern.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name) }
}

describe('every route for operators', () => {
  test('has an expectation, each expectation a route, and its limits', () => {
    const routes = server.app.routes.filter(({ path }) => /^\/(api\/v1\/operator|operate)(\/|$)/.test(path))
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    expect(names.toSorted()).toEqual(Object.keys(OPERATOR_CASES).toSorted())
    for (const { hooks, method, path } of routes) {
      const detail: Record<string, unknown> = hooks.detail ?? {}
      const isPageRead = method === 'GET' && path.startsWith('/operate')
      expect([path, detail['x-access'], detail['x-limits']]).toEqual([
        path,
        'operator',
        isPageRead ? undefined : ['operator'],
      ])
    }
  })

  test.each(Object.keys(OPERATOR_CASES))('%s is missing for everyone else', async (route) => {
    const { method, path } = await addressOf(route)
    const { headers, body } = bodyOf(route)
    const missing = await (await server.fetch(UNKNOWN)).text()
    const call = (who: Record<string, string>) =>
      server.fetch(path, { method, headers: { ...headers, ...who }, ...(body !== undefined && { body }) })
    for (const [who, credentials] of Object.entries(strangers)) {
      // A foreign page can send an operator's browser to read something, but not read the response.
      if (who.endsWith('foreign page') && method === 'GET') continue
      const answer = await call(credentials)
      expect([who, answer.status, await answer.text()]).toEqual([who, 404, missing])
    }
    const allowed = await call({ cookie: operator.cookie, origin: server.url })
    expect([route, allowed.status]).toEqual([route, OPERATOR_CASES[route]?.allowed ?? 200])
  })
})

describe('operators', () => {
  test('are named by OPERATORS once their address is confirmed', async () => {
    const person = await signUp(server)
    await server.deps.db.update(users).set({ email: ENVIRONMENT_OPERATOR }).where(eq(users.id, person.uid))
    expect((await person.fetch('/api/v1/operator/status')).status).toBe(404)
    await verifyEmail(server, person)
    expect((await person.fetch('/api/v1/operator/status')).status).toBe(200)
  })

  test('have no more rights than others on pages that they did not take down', async () => {
    const owner = await signUp(server)
    for (const [visibility, status] of [
      ['draft', 404],
      ['owner', 404],
      ['public', 403],
    ] as const) {
      const game = await insertGame(server, owner, { visibility })
      const answer = await operator.json('PATCH', `/api/v1/private/games/${game.uid}`, { tagline: 'Mine.' })
      expect([visibility, answer.status]).toEqual([visibility, status])
      const page = await operator.fetch(`/games/${game.vanityName}`)
      expect([visibility, page.status]).toEqual([visibility, visibility === 'public' ? 200 : 404])
    }
  })

  test('cannot name themselves: neither at sign-up nor later', async () => {
    const person = await signUp(server)
    await verifyEmail(server, person)
    await person.json('POST', '/api/auth/update-user', { operator: true })
    await person.json('PATCH', '/api/v1/private/me', { operator: true })
    expect((await person.fetch('/api/v1/operator/status')).status).toBe(404)
    const email = `eager-${crypto.randomUUID()}@example.org`
    const body = { name: 'Eager', email, password: 'a long enough password', operator: true }
    await person.json('POST', '/api/auth/sign-up/email', body)
    const operators = await server.deps.db.select().from(users).where(eq(users.operator, true))
    expect(operators.map((row) => row.email)).not.toContain(email)
  })

  test('everyone else gets the missing page, and no link to it', async () => {
    const stranger = await signUp(server)
    const html = { accept: 'text/html' }
    const pages = await Promise.all(
      ['/operate', '/no-such-page'].map(async (path) =>
        (await stranger.fetch(path, { headers: html })).text(),
      ),
    )
    expect(
      pages[0]?.replaceAll('/operate', '/no-such-page').replaceAll('%2Foperate', '%2Fno-such-page'),
    ).toBe(pages[1] ?? '')
    const home = async (person: Person) => (await person.fetch('/', { headers: html })).text()
    expect(await home(stranger)).not.toContain('/operate')
    expect(await home(operator)).toContain('<a href="/operate">Operate</a>')
  })
})
