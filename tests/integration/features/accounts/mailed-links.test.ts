import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { deployKeys } from '../../../../src/db/schema/deploy-keys.ts'
import { readData, readJson } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { countMails, waitForMail } from '../../../helpers/mails.ts'
import { asPerson, type Person, randomAddress, readCookies, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const OPERATOR = 'keeper@example.org'
const ME = '/api/v1/private/me'
const STATUS = '/api/v1/operator/status'
const NEW_PASSWORD = 'a brand new password'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all', OPERATORS: OPERATOR })

const pathOf = (link: string) => link.slice(server.url.length)
const newAddress = () => `new-${crypto.randomUUID().slice(0, 8)}@example.org`
const readMe = async (person: Person) =>
  await readData<{ email: string; email_verified: boolean }>(await person.fetch(ME))

/** Like a mail scanner, or a browser of somebody else. */
interface Headed {
  headers?: Record<string, string>
}

const open = (path: string, { headers, ...init }: Omit<RequestInit, 'headers'> & Headed = {}) =>
  server.fetch(path, { ...init, headers: { 'x-forwarded-for': randomAddress(), ...headers } })

const send = (person: Person, path: string, fields: Record<string, string>) =>
  person.fetch(path, { method: 'POST', body: new URLSearchParams(fields) })

async function mailedPath(email: string, subject = 'Confirm your e-mail address'): Promise<string> {
  return pathOf((await waitForMail(server, email, subject)).link)
}

const tokenOf = (path: string) => new URL(path, server.url).searchParams.get('token') ?? ''

async function requestChange(person: Person): Promise<{ newEmail: string; path: string }> {
  const newEmail = newAddress()
  const body = { newEmail, password: person.password }
  expect((await person.json('POST', '/api/auth/change-email', body)).status).toBe(200)
  return { newEmail, path: await mailedPath(newEmail) }
}

/** Asks for a link and returns the token in the newest mail. */
async function requestReset(person: Pick<Person, 'email'>): Promise<string> {
  const subject = 'Set a new password'
  const before = await countMails(server, person.email, subject)
  await open('/api/auth/request-password-reset', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: person.email }),
  })
  await waitFor('the mail', async () => (await countMails(server, person.email, subject)) > before)
  const { link } = await waitForMail(server, person.email, subject, before)
  return /\/reset\/([^?]+)/.exec(link)?.[1] ?? ''
}

const reset = (token: string) =>
  open('/api/auth/reset-password', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, newPassword: NEW_PASSWORD }),
  })

async function signIn(email: string, password: string): Promise<Person> {
  const address = randomAddress()
  const answer = await server.fetch('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': address },
    body: JSON.stringify({ email, password }),
  })
  expect(answer.status).toBe(200)
  const { user } = await readJson<{ user: { id: string } }>(answer)
  return asPerson(server, { uid: user.id, name: '', email, password, address, cookie: readCookies(answer) })
}

describe('the link that confirms an address', () => {
  test('changes nothing when it is only opened, and signs nobody in', async () => {
    const person = await signUp(server)
    const path = await mailedPath(person.email)
    for (const method of ['GET', 'HEAD']) {
      for (const answer of [await open(path, { method }), await person.fetch(path, { method })])
        expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect((await readMe(person)).email_verified).toBe(false)
  })

  test('leads to sign-in, and from there back, without a session', async () => {
    const person = await signUp(server)
    const path = await mailedPath(person.email)
    const answer = await open(path)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
    const posted = await open('/verify', {
      method: 'POST',
      headers: { origin: server.url, accept: 'text/html' },
      body: new URLSearchParams({ token: tokenOf(path) }),
    })
    expect(posted.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
  })

  test('shows what it confirms, and confirms it by the button, once', async () => {
    const person = await signUp(server)
    const path = await mailedPath(person.email)
    const page = await person.fetch(path)
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    const text = await page.text()
    expect(text).toContain(person.email)
    expect(text).toContain(`name="token" value="${tokenOf(path)}"`)
    const answer = await send(person, '/verify', { token: tokenOf(path) })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/verify?done=confirmed'])
    expect((await readMe(person)).email_verified).toBe(true)
    expect((await person.fetch(path)).status).toBe(400)
    expect((await send(person, '/verify', { token: tokenOf(path) })).status).toBe(400)
  })

  test('is confirmed by a program too, with the session', async () => {
    const person = await signUp(server)
    const token = tokenOf(await mailedPath(person.email))
    const body = { method: 'POST', body: JSON.stringify({ token }) }
    const headers = { 'content-type': 'application/json' }
    expect((await open('/api/auth/verify-email', { ...body, headers })).status).toBe(401)
    expect((await person.json('POST', '/api/auth/verify-email', { token: 'wrong' })).status).toBe(400)
    expect((await person.json('POST', '/api/auth/verify-email', { token })).status).toBe(200)
    expect((await readMe(person)).email_verified).toBe(true)
  })

  test('is worth nothing in the session of another account', async () => {
    const [person, other] = [await signUp(server), await signUp(server)]
    const path = await mailedPath(person.email)
    expect((await other.fetch(path)).status).toBe(400)
    expect((await send(other, '/verify', { token: tokenOf(path) })).status).toBe(400)
    for (const { email_verified } of [await readMe(person), await readMe(other)])
      expect(email_verified).toBe(false)
  })

  test('is replaced by a newer one', async () => {
    const person = await signUp(server)
    const token = tokenOf(await mailedPath(person.email))
    expect((await send(person, '/verify', {})).headers.get('location')).toBe('/verify?done=sent')
    await waitForMail(server, person.email, 'Confirm your e-mail address', 1)
    expect((await send(person, '/verify', { token })).status).toBe(400)
  })

  test('is only sent to those who are signed in', async () => {
    const person = await signUp(server)
    await mailedPath(person.email)
    const answer = await open('/api/auth/send-verification-email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: person.email }),
    })
    expect(answer.status).toBe(401)
  })
})

describe('the link to another address', () => {
  test('shows both addresses, and moves the account by the button', async () => {
    const person = await signUp(server)
    const { newEmail, path } = await requestChange(person)
    const text = await (await person.fetch(path)).text()
    expect([text.includes(person.email), text.includes(newEmail)]).toEqual([true, true])
    expect((await send(person, '/verify', { token: tokenOf(path) })).status).toBe(303)
    expect(await readMe(person)).toMatchObject({ email: newEmail, email_verified: true })
  })

  test('ends with a password reset, whoever opens it', async () => {
    const person = await signUp(server)
    const { path } = await requestChange(person)
    expect((await reset(await requestReset(person))).status).toBe(200)
    expect((await open(path)).headers.getSetCookie()).toEqual([])
    const owner = await signIn(person.email, NEW_PASSWORD)
    expect((await owner.fetch(path)).status).toBe(400)
    expect((await send(owner, '/verify', { token: tokenOf(path) })).status).toBe(400)
    expect((await readMe(owner)).email).toBe(person.email)
  })

  test.each([true, false])('ends with a changed password (others signed out: %p)', async (revoke) => {
    const person = await signUp(server)
    const { path } = await requestChange(person)
    const body = { currentPassword: person.password, newPassword: NEW_PASSWORD, revokeOtherSessions: revoke }
    expect((await person.json('POST', '/api/auth/change-password', body)).status).toBe(200)
    const owner = await signIn(person.email, NEW_PASSWORD)
    expect((await send(owner, '/verify', { token: tokenOf(path) })).status).toBe(400)
    expect((await readMe(owner)).email).toBe(person.email)
  })

  test('ends the links to a new password that the old address has', async () => {
    const person = await signUp(server)
    const token = await requestReset(person)
    const { path } = await requestChange(person)
    expect((await send(person, '/verify', { token: tokenOf(path) })).status).toBe(303)
    expect((await reset(token)).status).toBe(400)
  })

  test('of somebody who signed up with it meanwhile moves nothing', async () => {
    const person = await signUp(server)
    const { newEmail, path } = await requestChange(person)
    const answer = await open('/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Faster', email: newEmail, password: NEW_PASSWORD }),
    })
    expect(answer.status).toBe(200)
    expect((await send(person, '/verify', { token: tokenOf(path) })).status).toBe(409)
    expect((await readMe(person)).email).toBe(person.email)
  })
})

describe('the link to a new password', () => {
  test('is short, and its page says at once when it has ended; older links still lead there', async () => {
    const person = await signUp(server)
    const token = await requestReset(person)
    const path = `/reset/${token}`
    const page = async (address: string) => {
      const answer = await open(address, { headers: { accept: 'text/html' } })
      return { status: answer.status, text: await answer.text(), headers: answer.headers }
    }
    const form = await page(path)
    expect(form.status).toBe(200)
    expect(form.text).toContain(`name="token" value="${token}"`)
    expect(form.headers.get('cache-control')).toContain('no-store')
    const old = await open(`/api/auth/reset-password/${token}?callbackURL=%2Freset`, { redirect: 'manual' })
    const led = await page(old.headers.get('location')?.replace(server.url, '') ?? '')
    expect(led.text).toContain(`name="token" value="${token}"`)
    await reset(token)
    for (const address of [path, '/reset/nothing', '/reset?token=nothing', '/reset']) {
      const ended = await page(address)
      expect([address, ended.status, ended.text.includes('no longer works')]).toEqual([address, 400, true])
    }
  })

  test('ends the older ones', async () => {
    const person = await signUp(server)
    const [older, newer] = [await requestReset(person), await requestReset(person)]
    expect((await reset(older)).status).toBe(400)
    expect((await reset(newer)).status).toBe(200)
  })

  test('ends with a changed password', async () => {
    const person = await signUp(server)
    const token = await requestReset(person)
    const body = { currentPassword: person.password, newPassword: 'changed by its owner' }
    expect((await person.json('POST', '/api/auth/change-password', body)).status).toBe(200)
    expect((await reset(token)).status).toBe(400)
  })

  test('confirms the address that received it', async () => {
    const person = await signUp(server)
    await reset(await requestReset(person))
    expect(await readMe(await signIn(person.email, NEW_PASSWORD))).toMatchObject({ email_verified: true })
  })
})

describe('an account that a stranger made with the address of an operator', () => {
  test('makes no operator by links that are opened, and passes to the operator without what the stranger has', async () => {
    const answer = await open('/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Stranger', email: OPERATOR, password: 'known to the stranger' }),
    })
    const { user } = await readJson<{ user: { id: string } }>(answer)
    const facts = { uid: user.id, name: '', email: OPERATOR, password: '', address: randomAddress() }
    const stranger = asPerson(server, { ...facts, cookie: readCookies(answer) })
    await stranger.json('PATCH', ME, { developer_mode: true })
    const { uid } = await insertGame(server, stranger)
    const issued = await stranger.json('POST', `/api/v1/private/games/${uid}/deploy-keys`, {})
    expect(issued.status).toBe(201)
    const path = await mailedPath(OPERATOR)
    for (const method of ['HEAD', 'GET']) await open(path, { method })
    expect((await stranger.fetch(STATUS)).status).toBe(404)

    expect((await reset(await requestReset({ email: OPERATOR }))).status).toBe(200)
    expect((await stranger.fetch(ME)).status).toBe(401)
    const keys = await server.deps.db.select().from(deployKeys).where(eq(deployKeys.gameUid, uid))
    expect(keys.map(({ revokedAt }) => revokedAt === null)).toEqual([false])
    const operator = await signIn(OPERATOR, NEW_PASSWORD)
    expect((await operator.fetch(STATUS)).status).toBe(200)
  })
})
