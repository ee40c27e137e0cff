import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { runOperator } from '../../../../src/commands/accounts.ts'
import { sessions, users } from '../../../../src/db/schema/accounts.ts'
import { insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { waitForMail } from '../../../helpers/mails.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { asPerson, type Person, readCookies, signUp } from '../../../helpers/people.ts'
import type { TestServer } from '../../../helpers/server.ts'
import { useStore, useTwin } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

/** Two processes on one database: changes are made in the first. */
const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const twin = useTwin(server)

const ME = '/api/v1/private/me'
const STATUS = '/api/v1/operator/status'
const useAt = async (place: TestServer, person: Person, path = ME) =>
  (await place.fetch(path, { headers: { cookie: person.cookie } })).status

/** Signs up, and uses the session in both processes. */
async function signUpEverywhere(): Promise<Person> {
  const person = await signUp(server)
  await expectStatus(person, 200)
  return person
}

/** In this process at once; the other hears of it by NOTIFY, a moment later. */
async function expectStatus(person: Person, status: number, path = ME): Promise<void> {
  expect(await useAt(server, person, path)).toBe(status)
  await waitFor(`${status} in the other process`, async () => (await useAt(twin, person, path)) === status)
}

/** The same account in another browser. */
async function signInAgain(person: Person, more: object = {}): Promise<Person> {
  const { email, password } = person
  const answer = await person.json('POST', '/api/auth/sign-in/email', { email, password, ...more })
  expect(answer.status).toBe(200)
  return asPerson(server, { ...person, cookie: readCookies(answer) })
}

test('a session in use is not read from the database again', async () => {
  const person = await signUpEverywhere()
  await server.deps.db.transaction(async (tx) => {
    await tx.execute(sql`lock table sessions in access exclusive mode`)
    expect([await useAt(server, person), await useAt(twin, person)]).toEqual([200, 200])
  })
})

test('cookies without a session, or with a wrong one, open nothing', async () => {
  const person = await signUpEverywhere()
  const [name = '', token = ''] = (person.cookie.split('; ', 1)[0] ?? '').split('=', 2)
  const wrong = `${token.slice(0, -8)}AAAAAAA%3D`
  for (const cookie of ['theme=dark', `${name}=`, `${name}=${wrong}`, `x${name}=${token}`])
    expect([cookie, await useAt(server, { ...person, cookie })]).toEqual([cookie, 401])
  expect(await useAt(server, { ...person, cookie: `theme=dark; ${person.cookie}` })).toBe(200)
})

describe('a session in use ends in every process', () => {
  test('when it signs out', async () => {
    const person = await signUpEverywhere()
    const other = await signInAgain(person)
    await expectStatus(other, 200)
    expect((await person.json('POST', '/api/auth/sign-out', {})).status).toBe(200)
    await expectStatus(person, 401)
    await expectStatus(other, 200)
  })

  test('when it is signed out from another browser', async () => {
    const person = await signUpEverywhere()
    const other = await signInAgain(person)
    await expectStatus(other, 200)
    expect((await person.json('POST', '/api/auth/revoke-other-sessions', {})).status).toBe(200)
    await expectStatus(other, 401)
    await expectStatus(person, 200)
  })

  test('when the password is changed in another browser', async () => {
    const person = await signUpEverywhere()
    const other = await signInAgain(person)
    await expectStatus(other, 200)
    const body = {
      currentPassword: person.password,
      newPassword: 'another password',
      revokeOtherSessions: true,
    }
    expect((await person.json('POST', '/api/auth/change-password', body)).status).toBe(200)
    await expectStatus(other, 401)
    await expectStatus(person, 401)
  })

  test('when the password is reset by mail', async () => {
    const person = await signUpEverywhere()
    await person.json('POST', '/api/auth/request-password-reset', { email: person.email })
    const { link } = await waitForMail(server, person.email, 'Set a new password')
    const token = /\/reset\/([^?]+)/.exec(link)?.[1] ?? ''
    const body = { token, newPassword: 'another password' }
    expect((await person.json('POST', '/api/auth/reset-password', body)).status).toBe(200)
    await expectStatus(person, 401)
  })

  test('when the account is suspended', async () => {
    const [operator, person] = [await signUpOperator(server), await signUpEverywhere()]
    expect((await act(operator, `accounts/${person.uid}/suspend`, { reason: 'Spam.' })).status).toBe(200)
    await expectStatus(person, 401)
  })

  test('when the account is suspended by its uid in capitals', async () => {
    const [operator, person] = [await signUpOperator(server), await signUpEverywhere()]
    const path = `accounts/${person.uid.toUpperCase()}/suspend`
    expect((await act(operator, path, { reason: 'Spam.' })).status).toBe(200)
    await expectStatus(person, 401)
  })

  test('when the account is deleted', async () => {
    const person = await signUpEverywhere()
    expect((await person.json('DELETE', ME, { password: person.password })).status).toBe(200)
    await expectStatus(person, 401)
  })

  test('when it expires', async () => {
    // A session that is not remembered is never extended.
    const person = await signInAgain(await signUp(server), { rememberMe: false })
    const expiresAt = new Date(Date.now() + 5000)
    await server.deps.db.update(sessions).set({ expiresAt }).where(eq(sessions.userId, person.uid))
    await expectStatus(person, 200)
    await Bun.sleep(Math.max(0, expiresAt.getTime() - Date.now()))
    await expectStatus(person, 401)
  })
})

describe('a session in use has in every process', () => {
  test('the settings of its account', async () => {
    const person = await signUpEverywhere()
    const { uid } = await insertGame(server, person)
    const issueKey = async (place: TestServer) =>
      (await asPerson(place, person).json('POST', `/api/v1/private/games/${uid}/deploy-keys`, {})).status
    expect([await issueKey(server), await issueKey(twin)]).toEqual([403, 403])
    expect((await person.json('PATCH', ME, { developer_mode: true })).status).toBe(200)
    expect(await issueKey(server)).toBe(201)
    await waitFor('the other process knows', async () => (await issueKey(twin)) === 201)
  })

  test('the confirmed address of its account, which an operator needs', async () => {
    const person = await signUp(server)
    await server.deps.db.update(users).set({ operator: true }).where(eq(users.id, person.uid))
    await expectStatus(person, 404, STATUS)
    const { link } = await waitForMail(server, person.email, 'Confirm your e-mail address')
    const token = new URL(link).searchParams.get('token')
    expect((await person.json('POST', '/api/auth/verify-email', { token })).status).toBe(200)
    await expectStatus(person, 200, STATUS)
  })

  test('the rights of an operator, from the next request to the last', async () => {
    const person = await signUpEverywhere()
    await verifyEmail(server, person)
    await expectStatus(person, 404, STATUS)
    await runOperator(server.deps, ['add', person.email])
    await expectStatus(person, 200, STATUS)
    await runOperator(server.deps, ['remove', person.email])
    await expectStatus(person, 404, STATUS)
  })
})
