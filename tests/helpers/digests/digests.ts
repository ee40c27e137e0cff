import { eq, sql } from 'drizzle-orm'

import { noticeMails, noticeSettings } from '../../../src/db/schema/notices.ts'
import { recordAtOnce } from '../../../src/features/community/digests/at-once.ts'
import { recordDueDigests, scheduleDigests } from '../../../src/features/community/digests/due.ts'
import type { NoticeSettings } from '../../../src/features/community/digests/model.ts'
import { sendAtOnceMails, sendWaitingDigests } from '../../../src/features/community/digests/send.ts'
import { readData } from '../json.ts'
import { type GameRow, verifyEmail } from '../listings.ts'
import { type Person, signUp } from '../people.ts'
import type { TestServer } from '../server.ts'

export const SETTINGS = '/api/v1/private/notices/settings'
const { signal } = new AbortController()

export async function readSettings(person: Person): Promise<NoticeSettings> {
  return await readData<NoticeSettings>(await person.fetch(SETTINGS))
}

export async function changeSettings(person: Person, patch: object): Promise<NoticeSettings> {
  const answer = await person.json('PATCH', SETTINGS, patch)
  if (answer.status !== 200) throw new Error(`The settings were refused: ${await answer.text()}`)
  return await readData<NoticeSettings>(answer)
}

/** Somebody with a confirmed address who follows the listings. */
export async function signUpFollower(
  server: TestServer,
  games: readonly Pick<GameRow, 'uid'>[],
  follow: object = {},
): Promise<Person> {
  const person = await signUp(server)
  await verifyEmail(server, person)
  for (const { uid } of games) {
    const answer = await person.json('PUT', `/api/v1/private/follows/games/${uid}`, follow)
    if (answer.status !== 200) throw new Error(`The follow was refused: ${await answer.text()}`)
  }
  return person
}

/** Moves the time of the next digest into the past, and those of earlier mails by two days. */
export async function makeDigestDue({ deps }: TestServer, person: Pick<Person, 'uid'>): Promise<void> {
  await scheduleDigests(deps)
  await deps.db
    .update(noticeMails)
    .set({ createdAt: sql`${noticeMails.createdAt} - interval '2 days'` })
    .where(eq(noticeMails.userUid, person.uid))
  await deps.db
    .update(noticeSettings)
    .set({ nextDigestAt: sql`now() - interval '1 minute'` })
    .where(eq(noticeSettings.userUid, person.uid))
}

/** What the jobs do: records what is due, and sends it. */
export async function runDigests(server: TestServer): Promise<void> {
  await recordDueDigests(server.deps, signal)
  await sendWaiting(server)
}

export async function sendWaiting({ deps }: TestServer): Promise<void> {
  await sendWaitingDigests(deps, { log: deps.log, signal })
}

/** The digest of one person, now. */
export async function runDigestOf(server: TestServer, person: Pick<Person, 'uid'>): Promise<void> {
  await makeDigestDue(server, person)
  await runDigests(server)
}

/** Mails an event to those who want to hear of it at once. */
export async function runAtOnce({ deps }: TestServer, eventUid: string): Promise<void> {
  await recordAtOnce(deps, { eventUid })
  const waiting = await deps.db
    .select({ uid: noticeMails.uid })
    .from(noticeMails)
    .where(eq(noticeMails.eventUid, eventUid))
  await sendAtOnceMails(
    deps,
    waiting.map(({ uid }) => uid),
    { log: deps.log, signal },
  )
}

export async function listMails({ deps }: TestServer, person: Pick<Person, 'uid'>) {
  return await deps.db.select().from(noticeMails).where(eq(noticeMails.userUid, person.uid))
}

export async function findSettingsRow({ deps }: TestServer, person: Pick<Person, 'uid'>) {
  const [row] = await deps.db.select().from(noticeSettings).where(eq(noticeSettings.userUid, person.uid))
  return row
}
