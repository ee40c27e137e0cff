import { describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { readMails, waitForMail } from '../../../helpers/mails.ts'
import {
  asPerson,
  type Person,
  randomAddress,
  readCookies,
  signUp,
  unnamed,
} from '../../../helpers/people.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

const json = { 'content-type': 'application/json' }

async function signIn(
  person: Person,
  password = person.password,
): Promise<{ answer: Response; person: Person }> {
  const address = randomAddress()
  const answer = await server.fetch('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { ...json, origin: server.url, 'x-forwarded-for': address },
    body: JSON.stringify({ email: person.email, password }),
  })
  return { answer, person: asPerson(server, { ...person, address, cookie: readCookies(answer) }) }
}

describe('sign-up and sign-in', () => {
  test('a new account has a username made from its name, and nothing switched on', async () => {
    const person = await signUp(server, 'Zoë & Friends')
    expect(await readData(await person.fetch('/api/v1/private/me'))).toEqual({
      uid: person.uid,
      ...unnamed('zoe-friends'),
      display_name: 'Zoë & Friends',
      bio: '',
      links: [],
      banner: null,
      featured: null,
      follow_library: true,
      email: person.email,
      email_verified: false,
      developer_mode: false,
      adult_content: false,
      hidden_tags: [],
      extstore_id: null,
    })
  })

  test('two people of one name get two usernames', async () => {
    const people = [await signUp(server, 'Same Name'), await signUp(server, 'Same Name')]
    const names = await Promise.all(
      people.map(
        async (person) =>
          (await readData<{ username: string }>(await person.fetch('/api/v1/private/me'))).username,
      ),
    )
    expect(names[0]).toBe('same-name')
    expect(names[1]).toMatch(/^same-name-\d{6}$/)
  })

  test('a name without letters still makes a username', async () => {
    const person = await signUp(server, '!!')
    const me = await readData<{ username: string }>(await person.fetch('/api/v1/private/me'))
    expect(me.username).toMatch(/^player-\d{6}$/)
  })

  test('cookies are HttpOnly and SameSite=Lax', async () => {
    const { answer } = await signIn(await signUp(server))
    for (const cookie of answer.headers.getSetCookie()) {
      expect(cookie).toMatch(/HttpOnly/i)
      expect(cookie).toMatch(/SameSite=Lax/i)
    }
  })

  test('a wrong password is 401, signing out ends the session', async () => {
    const person = await signUp(server)
    expect((await signIn(person, 'not the password')).answer.status).toBe(401)
    const { person: signedIn } = await signIn(person)
    expect((await signedIn.fetch('/api/v1/private/me')).status).toBe(200)
    expect((await signedIn.json('POST', '/api/auth/sign-out', {})).status).toBe(200)
    expect((await signedIn.fetch('/api/v1/private/me')).status).toBe(401)
  })

  test('sessions are listed with their address and can be revoked', async () => {
    const first = await signUp(server)
    const { person: second } = await signIn(first)
    const sessions = await readJson<{ token: string; ipAddress: string }[]>(
      await first.fetch('/api/auth/list-sessions'),
    )
    expect(sessions.map((session) => session.ipAddress).sort()).toEqual(
      [first.address, second.address].sort(),
    )
    const other = sessions.find((session) => session.ipAddress === second.address)
    expect((await first.json('POST', '/api/auth/revoke-session', { token: other?.token })).status).toBe(200)
    expect((await second.fetch('/api/v1/private/me')).status).toBe(401)
    expect((await first.fetch('/api/v1/private/me')).status).toBe(200)
  })
})

describe('mail', () => {
  test('a forgotten password is set anew by mail, once, and ends old sessions', async () => {
    const person = await signUp(server)
    const asked = await person.json('POST', '/api/auth/request-password-reset', {
      email: person.email,
      redirectTo: server.url,
    })
    expect(asked.status).toBe(200)
    const mail = await waitForMail(server, person.email, 'Set a new password')
    const token = /reset-password\/([^?]+)/.exec(mail.link)?.[1]
    const reset = () =>
      person.json('POST', '/api/auth/reset-password', { token, newPassword: 'a brand new password' })
    expect((await reset()).status).toBe(200)
    expect((await reset()).status).toBe(400)
    expect((await person.fetch('/api/v1/private/me')).status).toBe(401)
    expect((await signIn(person, 'a brand new password')).answer.status).toBe(200)
  })

  test('a reset for an unknown address looks the same and sends nothing', async () => {
    const person = await signUp(server)
    const email = `nobody-${crypto.randomUUID()}@example.org`
    const answer = await person.json('POST', '/api/auth/request-password-reset', {
      email,
      redirectTo: server.url,
    })
    expect(answer.status).toBe(200)
    expect((await readMails(server)).filter((mail) => mail.to === email)).toEqual([])
  })
})

describe('me', () => {
  test('username, developer mode and adult content can be changed', async () => {
    const person = await signUp(server)
    const username = `u-${crypto.randomUUID().slice(0, 8)}`
    const patch = { username, developer_mode: true, adult_content: true }
    expect(await readData(await person.json('PATCH', '/api/v1/private/me', patch))).toMatchObject(patch)
    expect(await readData(await person.fetch('/api/v1/private/me'))).toMatchObject(patch)
  })

  test('a taken username is 409/4090', async () => {
    const [ada, ben] = [await signUp(server), await signUp(server)]
    const username = `u-${crypto.randomUUID().slice(0, 8)}`
    await ada.json('PATCH', '/api/v1/private/me', { username })
    expect(await readFailure(await ben.json('PATCH', '/api/v1/private/me', { username }))).toMatchObject({
      status: 409,
      code: 4090,
    })
  })

  test.each(['ab', 'a'.repeat(33), 'Ada', 'a_b', 'a b', ''])('username %p is 400/4000', async (username) => {
    const person = await signUp(server)
    const answer = await person.json('PATCH', '/api/v1/private/me', { username })
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
  })

  test('a username of 3 and one of 32 characters is taken', async () => {
    const person = await signUp(server)
    const random = crypto.randomUUID().replaceAll('-', '')
    for (const username of [random.slice(0, 3), random]) {
      expect((await person.json('PATCH', '/api/v1/private/me', { username })).status).toBe(200)
    }
  })
})

test('under https cookies are Secure, and only the host of the store can set them', async () => {
  const secure = await startTestServer({ BASE_URL: 'https://games.example.org' })
  const answer = await secure.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { ...json, origin: 'https://games.example.org' },
    body: JSON.stringify({ name: 'Secure', email: 'secure@example.org', password: 'a long password' }),
  })
  expect(answer.status).toBe(200)
  const cookies = answer.headers.getSetCookie()
  expect(cookies.length).toBeGreaterThan(0)
  for (const cookie of cookies) {
    expect(cookie).toStartWith('__Host-playshelf.')
    expect(cookie).toMatch(/; Path=\/(?:;|$)/)
    expect(cookie).toMatch(/; Secure/i)
    expect(cookie).not.toMatch(/; Domain/i)
  }
  const session = cookies.find((cookie) => cookie.includes('session_token'))?.split(';', 1)[0] ?? ''
  const me = async (cookie: string) =>
    (await secure.fetch('/api/v1/private/me', { headers: { cookie } })).status
  expect(await me(session)).toBe(200)
  for (const other of ['', '__Secure-']) expect(await me(session.replace('__Host-', other))).toBe(401)
  await secure.stop()
})

/** Long enough for a slow machine; a request that waits for ever fails here instead of at the end of the file. */
const PATIENCE_MS = 30_000

function postSignUp(name: string, email: string, address: string): Promise<Response> {
  return server.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': address },
    body: JSON.stringify({ name, email, password: 'a long password' }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
}

function newEmail(): string {
  return `${crypto.randomUUID()}@example.org`
}

test('twice as many sign-ups as pooled connections at once all succeed, and the server goes on', async () => {
  const address = randomAddress()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => postSignUp(`Crowd ${index}`, newEmail(), address)),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 200))
  const next = await server.fetch('/api/v1/public/tags/popular', { signal: AbortSignal.timeout(PATIENCE_MS) })
  expect(next.status).toBe(200)
})

test('sign-ups leave connections to everyone else', async () => {
  const address = randomAddress()
  const signUps = Array.from({ length: 20 }, (_, index) => postSignUp(`Busy ${index}`, newEmail(), address))
  let most = 0
  const done = Promise.all(signUps).then(() => true)
  while (!(await Promise.race([done, Bun.sleep(5).then(() => false)]))) {
    most = Math.max(most, await countOpenTransactions())
  }
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(8)
})

/** Of this server, besides the one that asks. */
async function countOpenTransactions(): Promise<number> {
  const rows = await server.deps.db.execute(sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'playshelf' and xact_start is not null
      and pid <> pg_backend_pid()`)
  return rows.length
}

test('of parallel sign-ups with one address one succeeds, and the others hear that it is taken', async () => {
  const email = newEmail()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => postSignUp('Hasty', email, randomAddress())),
  )
  const late = await postSignUp('Late', email, randomAddress())
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 9 }, () => late.status),
  ])
  const refusal = await late.text()
  const refused = answers.filter(({ status }) => status !== 200)
  expect(await Promise.all(refused.map(async (answer) => await answer.text()))).toEqual(
    refused.map(() => refusal),
  )
})

test('parallel sign-ups of one name all succeed, with usernames that differ', async () => {
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => postSignUp('Popular Name', newEmail(), randomAddress())),
  )
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200])
  const usernames = await Promise.all(answers.map(readUsername))
  expect(new Set(usernames).size).toBe(5)
  expect(usernames).toContain('popular-name')
  for (const username of usernames) expect(username).toMatch(/^popular-name(-\d{6})?$/)
})

async function readUsername(answer: Response): Promise<string> {
  const { user } = await readJson<{ user: { id: string; email: string } }>(answer)
  const facts = { uid: user.id, name: '', email: user.email, password: '', address: randomAddress() }
  const person = asPerson(server, { ...facts, cookie: readCookies(answer) })
  return (await readData<{ username: string }>(await person.fetch('/api/v1/private/me'))).username
}
