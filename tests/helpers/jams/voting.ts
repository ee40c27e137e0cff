import { eq, sql } from 'drizzle-orm'

import { users } from '../../../src/db/schema/accounts.ts'
import {
  jamEntries,
  jamPeople,
  jamPins,
  jamRatings,
  jamResults,
  jams,
  jamVisits,
} from '../../../src/db/schema/jams.ts'
import type { OperatingSystem } from '../../../src/domain/builds/platforms.ts'
import type { JamRole } from '../../../src/domain/jams.ts'
import type { Rating } from '../../../src/features/jams/rating/model.ts'
import { computeDue } from '../../../src/features/jams/results/compute.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { insertBuild, insertFile } from '../builds.ts'
import { readData } from '../json.ts'
import { type GameRow, insertPublicGame } from '../listings.ts'
import type { Person } from '../people.ts'
import type { TestServer } from '../server.ts'

export type JamRow = typeof jams.$inferSelect
export type EntryRow = typeof jamEntries.$inferSelect

export interface Entered {
  game: GameRow
  entry: EntryRow
}

const daysAhead = (days: number) => new Date(Date.now() + days * DAY_MS)

let count = 0

/** A jam whose voting is open for another day, with the criteria Fun and Theme. */
export async function insertJam(
  server: TestServer,
  values: Partial<typeof jams.$inferInsert> = {},
): Promise<JamRow> {
  count += 1
  const [row] = await server.deps.db
    .insert(jams)
    .values({
      slug: `voting-${count}-${crypto.randomUUID().slice(0, 6)}`,
      title: `Lantern Jam ${count}`,
      startsAt: daysAhead(-9),
      endsAt: daysAhead(-2),
      votingEndsAt: daysAhead(1),
      pinnedAt: daysAhead(-2),
      visibility: 'public',
      criteria: [
        { name: 'Fun', text: '', primary: false },
        { name: 'Theme', text: 'How it fits', primary: false },
      ],
      minRatings: 1,
      ...values,
    })
    .returning()
  if (!row) throw new Error('The jam was not stored')
  return row
}

export async function addToJam(
  { deps }: TestServer,
  jam: Pick<JamRow, 'uid'>,
  person: Person,
  role: JamRole,
): Promise<void> {
  await deps.db.insert(jamPeople).values({ jamUid: jam.uid, userUid: person.uid, role })
}

/** Enters a public listing with a pinned build for each of the systems. */
export async function enter(
  server: TestServer,
  jam: Pick<JamRow, 'uid'>,
  owner: Person,
  {
    systems = ['linux'],
    entry: values = {},
    game: gameValues = {},
  }: {
    systems?: readonly OperatingSystem[]
    entry?: Partial<typeof jamEntries.$inferInsert>
    game?: Parameters<typeof insertPublicGame>[2]
  } = {},
): Promise<Entered> {
  const { db } = server.deps
  const game = await insertPublicGame(server, owner, gameValues)
  const [entry] = await db
    .insert(jamEntries)
    .values({ jamUid: jam.uid, gameUid: game.uid, submittedBy: owner.uid, ...values })
    .returning()
  if (!entry) throw new Error('The entry was not stored')
  for (const os of systems) {
    const build = await insertBuild(server, game.uid, { os, arch: os === 'web' ? 'wasm32' : 'x86_64' })
    const file = await insertFile(server, build, os === 'web' ? { entryPage: 'index.html' } : {})
    await db.insert(jamPins).values({ jamUid: jam.uid, entryUid: entry.uid, fileUid: file.uid })
  }
  return { game, entry }
}

/** As the play page counts it. */
export async function play(
  { deps }: TestServer,
  { entry }: Entered,
  person: Person,
  seconds = 60,
): Promise<void> {
  await deps.db
    .insert(jamVisits)
    .values({ entryUid: entry.uid, userUid: person.uid, playedSeconds: seconds })
    .onConflictDoUpdate({
      target: [jamVisits.entryUid, jamVisits.userUid],
      set: { playedSeconds: seconds },
    })
}

export const ratingPath = (jam: Pick<JamRow, 'slug'>, { game }: Pick<Entered, 'game'>) =>
  `/api/v1/private/jams/${jam.slug}/ratings/${game.uid}`

export const STARS = { Fun: 4, Theme: 5 }

export const putRating = (
  person: Person,
  jam: Pick<JamRow, 'slug'>,
  entered: Pick<Entered, 'game'>,
  fields: object = {},
) => person.json('PUT', ratingPath(jam, entered), { scores: STARS, ...fields })

/** Plays and rates, and returns the rating. */
export async function rate(
  server: TestServer,
  person: Person,
  jam: Pick<JamRow, 'slug'>,
  entered: Entered,
  fields: object = {},
): Promise<Rating> {
  await play(server, entered, person)
  const answer = await putRating(person, jam, entered, fields)
  if (answer.status >= 300) throw new Error(`The rating was refused: ${await answer.text()}`)
  return await readData<Rating>(answer)
}

/** Sets when the account was made. */
export async function setAge({ deps }: TestServer, person: Person, days: number): Promise<void> {
  await deps.db
    .update(users)
    .set({ createdAt: daysAhead(-days) })
    .where(eq(users.id, person.uid))
}

/** Accounts without a session, made a year ago. Returns their uids. */
export async function insertVoters({ deps }: TestServer, total: number): Promise<string[]> {
  const uids = Array.from({ length: total }, createUid)
  await deps.db.execute(sql`
    insert into users (id, name, email, username, email_verified, created_at, updated_at)
    select uid, 'voter', uid::text || '@example.org', 'v' || replace(left(uid::text, 13), '-', '') || row_number() over (),
      true, now() - interval '1 year', now()
    from unnest(${sql.param(uids)}::uuid[]) as uid`)
  return uids
}

/** Votes that were cast before the test, as they are stored. */
export async function insertVotes(
  { deps }: TestServer,
  jam: Pick<JamRow, 'uid'>,
  votes: readonly Omit<typeof jamRatings.$inferInsert, 'jamUid'>[],
): Promise<void> {
  const BATCH = 1000
  for (let from = 0; from < votes.length; from += BATCH)
    await deps.db
      .insert(jamRatings)
      .values(votes.slice(from, from + BATCH).map((vote) => ({ ...vote, jamUid: jam.uid })))
}

/** Ends the voting, and computes what is due. */
export async function endVoting(server: TestServer, jam: Pick<JamRow, 'uid'>): Promise<void> {
  await moveVotingEnd(server, jam)
  await compute(server)
}

export async function moveVotingEnd({ deps }: TestServer, jam: Pick<JamRow, 'uid'>): Promise<void> {
  await deps.db
    .update(jams)
    .set({ votingEndsAt: sql`now() - interval '1 second'` })
    .where(eq(jams.uid, jam.uid))
}

export async function compute({ deps }: TestServer): Promise<void> {
  await computeDue(deps, new AbortController().signal)
}

export async function readJam({ deps }: TestServer, jam: Pick<JamRow, 'uid'>): Promise<JamRow> {
  const [row] = await deps.db.select().from(jams).where(eq(jams.uid, jam.uid))
  if (!row) throw new Error('The jam is gone')
  return row
}

export async function listStored({ deps }: TestServer, jam: Pick<JamRow, 'uid'>) {
  return await deps.db
    .select()
    .from(jamResults)
    .where(eq(jamResults.jamUid, jam.uid))
    .orderBy(jamResults.entryUid)
}

export async function listVotes({ deps }: TestServer, jam: Pick<JamRow, 'uid'>) {
  return await deps.db.select().from(jamRatings).where(eq(jamRatings.jamUid, jam.uid)).orderBy(jamRatings.uid)
}

export async function readEntry({ deps }: TestServer, { entry }: Entered): Promise<EntryRow> {
  const [row] = await deps.db.select().from(jamEntries).where(eq(jamEntries.uid, entry.uid))
  if (!row) throw new Error('The entry is gone')
  return row
}
