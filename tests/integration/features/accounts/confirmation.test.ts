import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { STORE_IMAGES } from '../../../../src/domain/store-settings.ts'
import { CASES, type Params } from '../../../helpers/authorization/authorization-cases.ts'
import { OPERATOR_CASES } from '../../../helpers/authorization/authorization-operator-cases.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { insertCover, insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { connect, useQuietShop } from '../../../helpers/selling/selling.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { addApp, ageConfirmation, unusedCode } from '../../../helpers/sign-in/factors.ts'
import { createPkcePair, registerClient } from '../../../helpers/sign-in/oauth.ts'
import { signUpVerified } from '../../../helpers/uploads/uploads.ts'

/** All run the store, so that everyone may do everything. */
const shop = useQuietShop()
let server: TestServer
let bare: Person
let stale: Person
let fresh: Person

beforeAll(async () => {
  ;({ server } = shop)
  const people = await Promise.all([1, 2, 3].map(() => signUpOperator(server)))
  ;[bare, stale, fresh] = people as [Person, Person, Person]
  await server.deps.db.update(users).set({ developerMode: true })
  await Promise.all(people.map((person) => connect(shop, person)))
  await addApp(stale)
  await addApp(fresh)
  const change = await fresh.json('PATCH', '/api/v1/operator/settings', { second_factor: 'publishers' })
  expect(change.status).toBe(200)
})

const STEAM = '/api/v1/private/games/:uid/steam'
const OPERATOR = '/api/v1/operator'
/** The answers to somebody without a factor, with one but not confirmed lately, and with both; codes of refusals. */
type Row = readonly [noFactor: number, notFresh: number, fresh: number]
const OPERATING = [4107, 4106, 200] as const
const OPERATING_NEW = [4107, 4106, 201] as const
/** Bodies that are no form are refused after the proof. */
const OPERATING_FORM = [4107, 4106, 415] as const

const TABLE: Readonly<Record<string, Row>> = {
  'POST /api/v1/private/games/:uid/deploy-keys': [4107, 4106, 201],
  'POST /api/v1/private/games/:uid/publishers': [4107, 4106, 201],
  'DELETE /api/v1/private/games/:uid/publishers/:publisher_uid': [4107, 4106, 200],
  'POST /api/v1/private/games/:uid/publishers/:publisher_uid/forget': [4107, 4106, 200],
  'PUT /api/v1/private/games/:uid/publishing': [4107, 4106, 200],
  'POST /api/v1/private/games/:uid/builds': [4107, 201, 201],
  'POST /api/v1/private/games/:uid/upload/files': [4107, 201, 201],
  'POST /api/v1/private/games/:uid/upload/sessions': [4107, 201, 201],
  'POST /api/v1/private/games/:uid/channels/:channel/promote': [4107, 200, 200],
  'POST /api/v1/private/games/:uid/channels/:channel/rollback': [4107, 409, 409],
  'POST /api/v1/private/approvals/:token': [4107, 200, 200],
  [`DELETE ${STEAM}`]: [200, 4106, 200],
  [`POST ${STEAM}/enable`]: [400, 4106, 400],
  [`POST ${STEAM}/disable`]: [200, 4106, 200],
  [`GET ${STEAM}/auth-key`]: [200, 4106, 200],
  [`POST ${STEAM}/auth-key`]: [200, 4106, 200],
  [`POST ${STEAM}/ticket-key`]: [200, 4106, 200],
  [`PUT ${STEAM}/web-api-key`]: [400, 4106, 400],
  'POST /api/v1/private/steam/import': [400, 4106, 400],
  'POST /api/v1/private/payouts/onboarding': [200, 4106, 200],
  'POST /api/v1/private/payouts/dashboard': [200, 4106, 200],
  'POST /api/v1/private/games/:uid/keys': [201, 4106, 201],
  'POST /api/v1/private/player-keys': [201, 4106, 201],
  'GET /api/v1/private/me/export': [200, 4106, 200],
  'POST /api/v1/private/games/:uid/admins': [400, 4106, 400],
  'DELETE /api/v1/private/games/:uid/admins/:user_uid': [404, 4106, 404],
  'POST /api/v1/private/me/authenticator': [200, 4106, 409],
  'POST /api/v1/private/me/authenticator/confirm': [409, 4106, 409],
  'DELETE /api/v1/private/me/passkeys/:uid': [200, 4106, 200],
  'DELETE /api/v1/private/me/providers/:provider': [200, 4106, 200],
  'POST /api/v1/private/me/recovery-codes': [409, 4106, 200],
  'DELETE /api/v1/private/me/authenticator': [404, 4106, 200],
  [`POST ${OPERATOR}/queue/:uid/approve`]: OPERATING,
  [`POST ${OPERATOR}/queue/:uid/decline`]: OPERATING,
  [`POST ${OPERATOR}/invites`]: OPERATING_NEW,
  [`DELETE ${OPERATOR}/invites/:uid`]: OPERATING,
  [`POST ${OPERATOR}/accounts`]: OPERATING_NEW,
  [`POST ${OPERATOR}/collections`]: OPERATING_NEW,
  [`PATCH ${OPERATOR}/collections/:uid`]: OPERATING,
  [`DELETE ${OPERATOR}/collections/:uid`]: OPERATING,
  ...Object.fromEntries(
    STORE_IMAGES.flatMap((name) => [
      [`PUT ${OPERATOR}/settings/${name}`, OPERATING_FORM],
      [`DELETE ${OPERATOR}/settings/${name}`, OPERATING],
    ]),
  ),
  [`POST ${OPERATOR}/jobs/:id/retry`]: OPERATING,
  [`POST ${OPERATOR}/search/rebuild`]: OPERATING,
  [`POST ${OPERATOR}/reports/:uid/dismiss`]: OPERATING,
  [`POST ${OPERATOR}/reports/:uid/resolve`]: OPERATING,
  [`POST ${OPERATOR}/listings/:uid/take-down`]: OPERATING,
  [`POST ${OPERATOR}/listings/:uid/restore`]: OPERATING,
  [`POST ${OPERATOR}/posts/:uid/take-down`]: OPERATING,
  [`POST ${OPERATOR}/posts/:uid/restore`]: OPERATING,
  [`POST ${OPERATOR}/files/:uid/rescan`]: OPERATING,
  [`POST ${OPERATOR}/accounts/:uid/suspend`]: OPERATING,
  [`POST ${OPERATOR}/accounts/:uid/restore`]: OPERATING,
  [`POST ${OPERATOR}/accounts/:uid/reset-factors`]: OPERATING,
  [`PUT ${OPERATOR}/accounts/:uid/storage-limit`]: OPERATING,
  [`POST ${OPERATOR}/accounts/:uid/clear-profile`]: OPERATING,
  [`POST ${OPERATOR}/look-alikes/:uid/dismiss`]: OPERATING,
  [`PATCH ${OPERATOR}/settings`]: OPERATING,
}

describe('dangerous acts', () => {
  test('the table has every route that declares one, and every change by operators', () => {
    const declared = server.app.routes.flatMap(({ method, path, hooks }) => {
      const detail: Record<string, unknown> = hooks.detail ?? {}
      const isAct = detail['x-fresh'] === true || detail['x-second-factor'] !== undefined
      const isOperating = detail['x-access'] === 'operator' && method !== 'GET'
      return path.startsWith('/api/') && (isAct || isOperating) ? [`${method} ${path}`] : []
    })
    expect(Object.keys(TABLE).toSorted()).toEqual(declared.toSorted())
  })

  // Removing the app is an act too, so that one comes last.
  const routes = Object.keys(TABLE).toSorted(
    (a, b) => Number(a.endsWith('me/authenticator')) - Number(b.endsWith('me/authenticator')),
  )
  test.each(routes)('%s', async (route) => {
    await ageConfirmation(server, stale)
    const answers = []
    for (const person of [bare, stale, fresh]) answers.push(await call(route, person))
    expect(answers).toEqual([...(TABLE[route] ?? [])])
  })
})

/** Of acts that are dangerous only with these fields. */
const DANGEROUS_BODIES: Readonly<Record<string, object>> = {
  'POST /api/v1/private/steam/import': { app_id: 'x', enable_auth: true },
}

/** The code of a refusal for lack of proof; the status of any other answer. */
async function call(route: string, person: Person): Promise<number> {
  const [method = '', path = ''] = route.split(' ')
  const isOperating = path.startsWith(OPERATOR)
  const game = await insertGame(server, person, { visibility: 'public' })
  await insertCover(server, game.uid)
  const spec = isOperating ? OPERATOR_CASES[route] : CASES[route]
  // Those who may not act have others prepare it.
  const made: Params | undefined = isOperating
    ? await OPERATOR_CASES[route]?.params?.(server, fresh)
    : await CASES[route]?.params?.({ server, game, caller: person, state: 'public' })
  const params: Params = { uid: game.uid, ...made, channel: 'stable' }
  const url = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name)
  const body = typeof spec?.body === 'function' ? spec.body(params) : spec?.body
  const form = await CASES[route]?.form?.(params)
  const answer = form
    ? await person.fetch(url, { method, body: form })
    : await person.json(method, url, path.endsWith('/settings') ? {} : (DANGEROUS_BODIES[route] ?? body))
  const { error } = await readJson<{ error?: { code: number } }>(answer)
  await server.deps.db.delete(games).where(eq(games.uid, game.uid))
  return error?.code === 4106 || error?.code === 4107 ? error.code : answer.status
}

test('keys that pipelines have go on working for somebody who lacks the factor', async () => {
  const owner = await signUpVerified(server)
  await addApp(owner)
  await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  const game = await insertGame(server, owner)
  const answer = await owner.json('POST', `/api/v1/private/games/${game.uid}/deploy-keys`)
  const key = await readData<{ access_token: string; secret_key: string }>(answer)
  await owner.json('DELETE', '/api/v1/private/me/authenticator')
  const registered = await server.fetch('/api/v1/tool/upload/build', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-access-token': key.access_token,
      'x-secret-key': key.secret_key,
    },
    body: JSON.stringify({ version: '1.0.0', os: 'linux', arch: 'x86_64' }),
  })
  expect(registered.status).toBe(201)
  const renewed = await owner.json('POST', `/api/v1/private/games/${game.uid}/deploy-keys`)
  expect(await readFailure(renewed)).toMatchObject({
    code: 4107,
    data: { setup_url: `${server.url}/account` },
  })
})

describe('acts of the account library', () => {
  const acts = ['GET /api/auth/passkey/generate-register-options', 'POST /api/auth/link-social'] as const

  test.each(acts)('%s needs a session that confirmed itself lately', async (route) => {
    const person = await signUp(server)
    const [method = '', path = ''] = route.split(' ')
    const act = () => person.json(method, path, method === 'GET' ? undefined : { provider: 'forge' })
    await verifyEmail(server, person)
    await ageConfirmation(server, person)
    expect(await readFailure(await act())).toMatchObject({ status: 403, code: 4106 })
    await person.json('POST', '/api/v1/private/me/confirmation', { password: person.password })
    expect((await act()).status).not.toBe(403)
  })

  test('a program that may write is connected only by a session that confirmed itself lately', async () => {
    const person = await signUp(server)
    await ageConfirmation(server, person)
    const connect = async (scope: string) => {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: await registerClient(server),
        scope,
        state: 'x',
        redirect_uri: 'http://127.0.0.1:39999/callback',
        resource: `${server.url}/mcp`,
        code_challenge: createPkcePair().challenge,
        code_challenge_method: 'S256',
      })
      const asked = await person.fetch(`/api/auth/oauth2/authorize?${query.toString()}`)
      const page = new URL(asked.headers.get('location') ?? '', server.url)
      const answer = { accept: true, oauth_query: page.search.slice(1) }
      return await person.json('POST', '/api/auth/oauth2/consent', answer)
    }
    expect((await connect('mcp:builds.read')).status).toBe(200)
    expect((await connect('mcp:builds.read mcp:builds.write')).status).toBe(403)
    await person.json('POST', '/api/v1/private/me/confirmation', { password: person.password })
    expect((await connect('mcp:builds.read mcp:builds.write')).status).toBe(200)
  })
})

describe('acts that take the password are confirmed by it, whatever the session proved', () => {
  const email = () => `moved-${crypto.randomUUID()}@example.org`
  const ACTS: Readonly<Record<string, (person: Person, password: string) => Promise<Response>>> = {
    'a new address': (person, password) =>
      person.json('POST', '/api/auth/change-email', { newEmail: email(), password }),
    'a new password': (person, password) =>
      person.json('POST', '/api/auth/change-password', {
        currentPassword: password,
        newPassword: 'another long password',
      }),
    'the end of the account': (person, password) => person.json('DELETE', '/api/v1/private/me', { password }),
  }

  test.each(Object.keys(ACTS))('%s', async (name) => {
    for (const kind of ['no factor', 'factor, not fresh', 'fresh'] as const) {
      const person = await signUp(server)
      if (kind !== 'no factor') await addApp(person)
      if (kind !== 'fresh') await ageConfirmation(server, person)
      expect({ kind, status: (await ACTS[name]?.(person, 'not the password'))?.status }).toEqual({
        kind,
        status: 400,
      })
      expect({ kind, status: (await ACTS[name]?.(person, person.password))?.status }).toEqual({
        kind,
        status: 200,
      })
    }
  })
})

describe('confirming', () => {
  test('the refusal says where; a password, then a code confirms, a wrong one does not', async () => {
    const person = await signUp(server)
    const own = await addApp(person)
    const act = () => person.json('POST', '/api/v1/private/player-keys', { label: 'x' })
    for (const proof of ['password', 'code'] as const) {
      await ageConfirmation(server, person)
      const refused = await readFailure<{ confirm_url: string }>(await act())
      expect(refused).toMatchObject({ code: 4106, data: { confirm_url: `${server.url}/confirm` } })
      const confirm = (value: string) =>
        person.json('POST', '/api/v1/private/me/confirmation', { [proof]: value })
      expect((await confirm('000000')).status).toBe(400)
      expect((await act()).status).toBe(403)
      const right = proof === 'password' ? person.password : await unusedCode(server, person, own)
      expect((await confirm(right)).status).toBe(200)
      expect((await act()).status).toBe(201)
    }
  })

  test('forms that take the password need no other confirmation, and confirm the session', async () => {
    const person = await signUp(server)
    await ageConfirmation(server, person)
    const newEmail = `moved-${crypto.randomUUID()}@example.org`
    const move = { newEmail, password: person.password }
    expect((await person.json('POST', '/api/auth/change-email', move)).status).toBe(200)
    expect((await person.json('POST', '/api/v1/private/player-keys', { label: 'x' })).status).toBe(201)
    await ageConfirmation(server, person)
    const { password } = person
    expect((await person.json('DELETE', '/api/v1/private/me', { password })).status).toBe(200)
  })

  test('a session confirms itself alone: another session of the account stays as it was', async () => {
    const person = await signUp(server)
    await ageConfirmation(server, person)
    const answer = await person.json('POST', '/api/auth/sign-in/email', {
      email: person.email,
      password: person.password,
    })
    expect(answer.status).toBe(200)
    expect((await person.json('POST', '/api/v1/private/player-keys', { label: 'x' })).status).toBe(403)
  })
})

describe('the policy', () => {
  test('is read with a tag, changed only by those who saw the newest, and logged before and after', async () => {
    await addApp(fresh)
    const read = await fresh.fetch('/api/v1/operator/settings')
    const etag = read.headers.get('etag') ?? ''
    expect(await readData<object>(read)).toMatchObject({ second_factor: 'publishers' })
    const patch = (second_factor: string | null, ifMatch: string) =>
      fresh.fetch('/api/v1/operator/settings', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': ifMatch },
        body: JSON.stringify({ second_factor }),
      })
    expect((await patch('operators', etag)).status).toBe(200)
    expect((await patch('optional', etag)).status).toBe(412)
    expect(await readFailure(await patch('nobody', '*'))).toMatchObject({
      code: 4000,
      data: { issues: [{ path: 'second_factor' }] },
    })
    expect(await readData<object>(await patch(null, '*'))).toMatchObject({ second_factor: 'optional' })
    const { items } = await readData<{ items: { act: string; reason: string }[] }>(
      await fresh.fetch('/api/v1/operator/audit'),
    )
    expect(items[0]).toMatchObject({
      act: 'change_settings',
      reason: 'second_factor: operators → optional',
    })
  })

  test('operators are the default where the store is not on one’s own machine', async () => {
    const remote = await startTestServer({ TRUST_PROXY: '1', BASE_URL: 'https://games.example.org' })
    try {
      const read = await import('../../../../src/features/settings/service.ts')
      const { settings } = await read.loadSettings(remote.deps, remote.deps.db)
      expect(settings.second_factor).toBe('operators')
    } finally {
      await remote.stop()
    }
  })
})
