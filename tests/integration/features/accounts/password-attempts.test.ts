import { describe, expect, test } from 'bun:test'

import { LIMITS } from '../../../../src/domain/limit-table.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { readFailure } from '../../../helpers/json.ts'
import { countMails, waitForMail } from '../../../helpers/mails.ts'
import { type Person, randomAddress, readCookies, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const WRONG_MAX = LIMITS.wrong_passwords.max
const GUESSES = WRONG_MAX + 5

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

/** Every request comes from another network. */
const post = (path: string, body: object, cookie = '') =>
  server.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: server.url,
      'x-forwarded-for': randomAddress(),
      ...(cookie && { cookie }),
    },
    body: JSON.stringify(body),
  })
const signIn = (email: string, password: string, cookie = '') =>
  post('/api/auth/sign-in/email', { email, password }, cookie)

/** How the guesses were answered, and the texts of the answers. */
async function guess(email: string, cookie = ''): Promise<{ statuses: number[]; texts: Set<string> }> {
  const answers = await Promise.all(
    Array.from({ length: GUESSES }, (_, number) => signIn(email, `wrong password ${number}`, cookie)),
  )
  return {
    statuses: answers.map(({ status }) => status).toSorted((a, b) => a - b),
    texts: new Set(await Promise.all(answers.map(async (answer) => await answer.text()))),
  }
}
const LIMITED = [
  ...Array.from({ length: WRONG_MAX }, () => 401),
  ...Array.from({ length: GUESSES - WRONG_MAX }, () => 429),
]

/** The same for the counters, without the work of checking so many passwords. */
async function useUpAttempts(email: string): Promise<void> {
  const { windowSeconds } = LIMITS.wrong_passwords
  await server.deps.rates.add(`wrong_passwords:${sha256Hex(email)}`, windowSeconds * 1000, WRONG_MAX)
}

/** The browser of somebody who signed in and out again. */
async function signInAndOut(person: Person): Promise<string> {
  const cookie = readCookies(await signIn(person.email, person.password))
  expect((await post('/api/auth/sign-out', {}, cookie)).status).toBe(200)
  return cookie
}

describe('guesses of a password from many networks', () => {
  test('are slowed down per account, alike where there is no account', async () => {
    const person = await signUp(server)
    const known = await guess(person.email)
    const unknown = await guess(`nobody-${crypto.randomUUID()}@example.org`)
    expect(known.statuses).toEqual(LIMITED)
    expect(unknown).toEqual(known)
    const failure = await readFailure(await signIn(person.email.toUpperCase(), person.password))
    expect(failure).toMatchObject({ status: 429, code: 4290 })
  })

  test('do not lock out a browser that signed in before', async () => {
    const person = await signUp(server)
    const cookie = await signInAndOut(person)
    await useUpAttempts(person.email)
    expect((await signIn(person.email, person.password)).status).toBe(429)
    expect((await signIn(person.email, person.password, cookie)).status).toBe(200)
  })

  test('are slowed down in such a browser as well, which helps with no other account', async () => {
    const [person, other] = [await signUp(server), await signUp(server)]
    const cookie = await signInAndOut(person)
    expect((await guess(person.email, cookie)).statuses).toEqual(LIMITED)
    await useUpAttempts(other.email)
    expect((await signIn(other.email, other.password, cookie)).status).toBe(429)
  })

  test('gain nothing by a cookie from before the password was changed', async () => {
    const person = await signUp(server)
    const cookie = await signInAndOut(person)
    const body = { currentPassword: person.password, newPassword: 'a brand new password' }
    expect((await person.json('POST', '/api/auth/change-password', body)).status).toBe(200)
    await useUpAttempts(person.email)
    expect((await signIn(person.email, 'a brand new password', cookie)).status).toBe(429)
  })

  test('do not keep the owner from setting a new password by mail and signing in with it', async () => {
    const person = await signUp(server)
    await useUpAttempts(person.email)
    await post('/api/auth/request-password-reset', { email: person.email })
    const { link } = await waitForMail(server, person.email, 'Set a new password')
    const token = /\/reset\/([^?]+)/.exec(link)?.[1] ?? ''
    const send = (path: string, fields: Record<string, string>, cookie = '') =>
      server.fetch(path, {
        method: 'POST',
        headers: { origin: server.url, 'x-forwarded-for': randomAddress(), ...(cookie && { cookie }) },
        body: new URLSearchParams(fields),
      })
    const newPassword = 'a brand new password'
    const reset = await send('/reset', { token, newPassword })
    expect(reset.headers.get('location')).toBe('/sign-in?done=reset')
    const signedIn = await send(
      '/sign-in',
      { email: person.email, password: newPassword },
      readCookies(reset),
    )
    expect(signedIn.status).toBe(303)
  })

  test('show what to do at the form', async () => {
    const person = await signUp(server)
    await useUpAttempts(person.email)
    const answer = await server.fetch('/sign-in', {
      method: 'POST',
      headers: { origin: server.url, 'x-forwarded-for': randomAddress(), accept: 'text/html' },
      body: new URLSearchParams({ email: person.email, password: person.password }),
    })
    expect(answer.status).toBe(429)
    expect(await answer.text()).toContain('ask for a link to set a new password')
  })
})

test('signing in often with the right password is not limited', async () => {
  const person = await signUp(server)
  for (let count = 0; count < WRONG_MAX + 2; count += 1)
    expect((await signIn(person.email, person.password)).status).toBe(200)
})

test('whoever holds a session cannot guess the password either', async () => {
  const person = await signUp(server)
  const asks = [
    (password: string) =>
      server.fetch('/api/v1/private/me', {
        method: 'DELETE',
        headers: {
          'content-type': 'application/json',
          origin: server.url,
          cookie: person.cookie,
          'x-forwarded-for': randomAddress(),
        },
        body: JSON.stringify({ password }),
      }),
    (password: string) =>
      post('/api/auth/change-email', { newEmail: 'x@example.org', password }, person.cookie),
    (currentPassword: string) =>
      post('/api/auth/change-password', { currentPassword, newPassword: 'a new one of mine' }, person.cookie),
  ]
  const statuses: number[] = []
  const { max, windowSeconds } = LIMITS.wrong_passwords_signed_in
  await server.deps.rates.add(
    `wrong_passwords_signed_in:${person.uid}`,
    windowSeconds * 1000,
    max - asks.length,
  )
  for (const ask of [...asks, ...asks]) statuses.push((await ask('not the password')).status)
  expect(statuses).toEqual([400, 400, 400, 429, 429, 429])
})

describe('mails with links', () => {
  test('go to one mailbox a few times an hour, and the answer stays the same', async () => {
    const person = await signUp(server)
    await waitForMail(server, person.email, 'Confirm your e-mail address')
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => post('/api/auth/request-password-reset', { email: person.email })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const unknown = await post('/api/auth/request-password-reset', { email: 'nobody@example.org' })
    const texts = await Promise.all([...answers, unknown].map(async (answer) => await answer.text()))
    expect(new Set(texts).size).toBe(1)
    // A later mail to somebody else has left after all of these.
    const other = await signUp(server)
    await waitForMail(server, other.email, 'Confirm your e-mail address')
    const subject = 'Set a new password'
    await waitFor('the mails', async () => (await countMails(server, person.email, subject)) > 0)
    expect(await countMails(server, person.email, subject)).toBeLessThanOrEqual(4)
  })

  test('count a mailbox once, whatever stands behind a plus', async () => {
    const person = await signUp(server)
    const mailbox = `victim-${crypto.randomUUID().slice(0, 8)}`
    for (let count = 0; count < 9; count += 1) {
      const newEmail = `${mailbox}+${count}@example.org`
      const answer = await person.json('POST', '/api/auth/change-email', {
        newEmail,
        password: person.password,
      })
      expect(answer.status).toBe(200)
    }
    const countSent = async () => {
      let sent = 0
      for (let count = 0; count < 9; count += 1)
        sent += await countMails(server, `${mailbox}+${count}@example.org`, 'Confirm your e-mail address')
      return sent
    }
    // Two mails are written at a time, so a later one can be there first.
    await waitFor('the mails', async () => (await countSent()) >= 5)
    const other = await signUp(server)
    await waitForMail(server, other.email, 'Confirm your e-mail address')
    expect(await countSent()).toBe(5)
  })
})
