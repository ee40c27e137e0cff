import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { forgetAccount } from '../../../../src/features/accounts/account-cache.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { asPerson, randomAddress, readCookies } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const ORIGIN = 'https://play.acme-store.example'
const ME = '/api/v1/private/me'

const server = useStore({ TRUST_PROXY: '1', BASE_URL: ORIGIN })

async function signUp(name: string) {
  const [email, password, address] = [
    `${crypto.randomUUID()}@example.org`,
    'a long password',
    randomAddress(),
  ]
  const answer = await server.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN, 'x-forwarded-for': address },
    body: JSON.stringify({ name, email, password }),
  })
  expect(answer.status).toBe(200)
  const cookie = readCookies(answer)
  const person = asPerson(server, { uid: '', name, email, password, address, cookie })
  const rename = (username: string) =>
    person.fetch(ME, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify({ username }),
    })
  const { username, uid } = await readData<{ username: string; uid: string }>(await person.fetch(ME))
  return { username, uid, rename, person }
}

const NAMES = [
  'operator',
  'admin',
  'administrator',
  'support',
  'help',
  'staff',
  'moderator',
  'system',
  'root',
  'playshelf',
  'play',
  'acme-store',
  'acmestore',
  'ad-min',
  '-admin-',
  'play-shelf',
]

test('names of those who run the store, and its own, cannot be chosen', async () => {
  const { rename } = await signUp('Somebody')
  for (const name of NAMES) {
    const failure = await readFailure(await rename(name))
    expect({ name, ...failure }).toMatchObject({ name, status: 409, code: 4090 })
    expect(failure).toMatchObject({ data: { issues: [{ path: 'username' }] } })
  }
  for (const name of ['admins', 'helpful', 'rooted']) expect((await rename(name)).status).toBe(200)
})

test.each(['Admin', 'Acme Store', 'PLAYSHELF'])('nor are they made from the name %s', async (name) => {
  const { username } = await signUp(name)
  expect(username).toMatch(/^[a-z-]+-\d{6}$/)
})

test('who has one keeps it', async () => {
  const { uid, rename, person } = await signUp('Early Bird')
  const { db } = server.deps
  await db.update(users).set({ username: 'support' }).where(eq(users.id, uid))
  await forgetAccount(server.deps, db, uid)
  expect((await rename('support')).status).toBe(200)
  expect(await readData<object>(await person.fetch(ME))).toMatchObject({ username: 'support' })
})
