import { afterAll, beforeAll, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { readData, readJson } from '../../../helpers/json.ts'
import { asPerson, randomAddress, readCookies } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
})
afterAll(() => server.stop())

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
