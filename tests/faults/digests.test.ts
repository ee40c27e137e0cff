import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'

import { recordDueDigests } from '../../src/features/community/digests/due.ts'
import { SENT_AT_ONCE } from '../../src/features/community/digests/send.ts'
import { listMails, makeDigestDue, signUpFollower } from '../helpers/digests/digests.ts'
import { startSmtp } from '../helpers/digests/smtp.ts'
import { ageLocks } from '../helpers/jobs.ts'
import { insertPublicGame } from '../helpers/listings.ts'
import { signUp } from '../helpers/people.ts'
import { publishPost } from '../helpers/posts.ts'
import { useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const smtp = await startSmtp()
afterAll(async () => await smtp[Symbol.asyncDispose]())
const server = useStore({ TRUST_PROXY: '1', SMTP_URL: smtp.url })

const PEOPLE = 4 * SENT_AT_ONCE
/** So slow that the process is killed between two mails, and while some are on their way. */
const SLOW_MS = 100

function startRunner() {
  const script = join(import.meta.dir, '../helpers/processes/runner-child.ts')
  return Bun.spawn(['bun', script, JSON.stringify(server.deps.config)], {
    stdout: 'inherit',
    stderr: 'inherit',
  })
}

test('a process that is killed while it sends digests sends none twice, and loses none that was not begun', async () => {
  const owner = await signUp(server)
  const game = await insertPublicGame(server, owner)
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => signUpFollower(server, [game])))
  await publishPost(owner, game, { title: 'Told once' })
  for (const person of people) await makeDigestDue(server, person)
  await recordDueDigests(server.deps, new AbortController().signal)
  const mailsOf = ({ email }: { email: string }) =>
    smtp.mailsTo(email).filter(({ subject }) => subject.startsWith('News of'))
  const arrived = () => people.filter((person) => mailsOf(person).length > 0).length

  smtp.delayMs = SLOW_MS
  const killed = startRunner()
  await waitFor('some digests', () => arrived() > SENT_AT_ONCE)
  killed.kill('SIGKILL')
  await killed.exited
  expect(arrived()).toBeLessThan(PEOPLE)
  await ageLocks(server)

  smtp.delayMs = 0
  const others = [startRunner(), startRunner()]
  try {
    const states = await waitFor('all were begun', async () => {
      const rows = await Promise.all(people.map(async (person) => (await listMails(server, person))[0]))
      return rows.every((row) => row?.startedAt) && rows
    })
    await waitFor('all that were sent arrived', () =>
      people.every((person, index) => states[index]?.sentAt === null || mailsOf(person).length === 1),
    )
    const unsent = (await Promise.all(people.map(async (person) => await listMails(server, person)))).filter(
      ([row]) => row?.sentAt === null,
    )
    // Those before the kill that were not marked yet, and those that were on their way.
    expect(unsent.length).toBeLessThanOrEqual(2 * SENT_AT_ONCE)
    expect(people.filter((person) => mailsOf(person).length > 1)).toEqual([])
    expect(arrived()).toBeGreaterThanOrEqual(PEOPLE - SENT_AT_ONCE)
  } finally {
    for (const child of others) child.kill('SIGTERM')
    await Promise.all(others.map((child) => child.exited))
  }
}, 120_000)
