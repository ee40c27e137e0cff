import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'

import { type Db, inserted, one, pageOf, type Transaction } from '../../../db/client.ts'
import { worksOn } from '../../../db/jam-conditions.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamEntries, jamRatings, jamVisits } from '../../../db/schema/jams.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

export type RatingRow = typeof jamRatings.$inferSelect

/** The voter, and their own entries, which are few. */
export async function findVoter(db: Db, jamUid: string, userUid: string) {
  const own = sql`array(select ${jamEntries.uid} from ${jamEntries}
    where ${jamEntries.jamUid} = ${jamUid} and ${jamEntries.withdrawnAt} is null
      and ${jamEntries.gameUid} in ${worksOn(userUid)})`
  return await one(
    db
      .select({
        createdAt: users.createdAt,
        emailVerified: users.emailVerified,
        ownEntries: sql<string[]>`${own}`,
      })
      .from(users)
      .where(eq(users.id, userUid)),
  )
}

export type VoterRow = NonNullable<Awaited<ReturnType<typeof findVoter>>>

/** An entry as it is rated, by the uid or the name of its listing. */
export async function findBallot(db: Db, jamUid: string, userUid: string, gameRef: string) {
  return await one(
    db
      .select({
        entryUid: jamEntries.uid,
        gameUid: games.uid,
        isWithdrawn: sql<boolean>`${jamEntries.withdrawnAt} is not null`,
        isTakenDown: sql<boolean>`${games.takenDown} is not null or exists (
          select 1 from ${users} where ${users.id} = ${games.ownerUid} and ${users.suspendedAt} is not null)`,
        isDisqualified: sql<boolean>`${jamEntries.disqualifiedAt} is not null`,
        isAdult: games.adult,
        isOwn: sql<boolean>`${games.uid} in ${worksOn(userUid)}`,
        playedSeconds: sql<number>`coalesce(${jamVisits.playedSeconds}, 0)`,
        hasFetched: sql<boolean>`${jamVisits.downloadedAt} is not null`,
        rating: jamRatings,
      })
      .from(jamEntries)
      .innerJoin(games, eq(games.uid, jamEntries.gameUid))
      .leftJoin(jamVisits, and(eq(jamVisits.entryUid, jamEntries.uid), eq(jamVisits.userUid, userUid)))
      .leftJoin(jamRatings, and(eq(jamRatings.entryUid, jamEntries.uid), eq(jamRatings.userUid, userUid)))
      .where(
        and(
          eq(jamEntries.jamUid, jamUid),
          isUid(gameRef) ? eq(games.uid, gameRef) : eq(games.vanityName, gameRef),
        ),
      ),
  )
}

export type BallotRow = NonNullable<Awaited<ReturnType<typeof findBallot>>>

/** The ratings of a person in a jam, the last changed first. */
export async function pageOwnRatings(db: Db, jamUid: string, userUid: string, page: Page) {
  const which = and(eq(jamRatings.jamUid, jamUid), eq(jamRatings.userUid, userUid))
  const ordered = db
    .select({ rating: jamRatings, game: { uid: games.uid, vanityName: games.vanityName, name: games.name } })
    .from(jamRatings)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamRatings.entryUid))
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .where(which)
    .orderBy(desc(jamRatings.updatedAt), desc(jamRatings.uid))
  return await pageOf(ordered, db.$count(jamRatings, which), page)
}

interface CastRating {
  jamUid: string
  entryUid: string
  userUid: string
  scores: number[]
  comment: string
  commentPublic: boolean
  networkHash: string | null
  accountDays: number
}

/** One rating per voter and entry, also under concurrent requests. Network and age stay those of the first time. */
export async function upsertRating(
  tx: Transaction,
  values: CastRating,
): Promise<{ row: RatingRow; isNew: boolean }> {
  const { scores, comment, commentPublic } = values
  const now = sql`clock_timestamp()`
  const { isNew, ...row } = await inserted(
    tx
      .insert(jamRatings)
      .values({ ...values, createdAt: now, updatedAt: now })
      .onConflictDoUpdate({
        target: [jamRatings.entryUid, jamRatings.userUid],
        set: { scores, comment, commentPublic, updatedAt: now },
      })
      // xmax is set only on a row that existed before and was locked by the update.
      .returning({ ...getTableColumns(jamRatings), isNew: sql<boolean>`xmax = 0` }),
  )
  return { row, isNew }
}

/** Counts a new rating for its entry and for those of its voter. The rows are locked in one order, against deadlocks. */
export async function countRating(
  tx: Transaction,
  entryUid: string,
  ownEntries: readonly string[],
): Promise<void> {
  const own = sql`${sql.param([...ownEntries])}::uuid[]`
  await tx.execute(sql`
    with touched as (
      select uid from ${jamEntries} where uid = ${entryUid} or uid = any(${own})
      order by uid for no key update
    )
    update ${jamEntries} as entry set
      received = entry.received + (entry.uid = ${entryUid})::integer,
      given = entry.given + (entry.uid = any(${own}))::integer
    from touched where entry.uid = touched.uid`)
}

export type VisitMark = 'skipped' | 'cannot_run' | 'rated'

/** A rated entry is neither skipped nor impossible to run. */
export async function markVisit(
  tx: Transaction,
  entryUid: string,
  userUid: string,
  mark: VisitMark,
): Promise<void> {
  const now = sql`clock_timestamp()`
  if (mark === 'rated') {
    await tx
      .update(jamVisits)
      .set({ skippedAt: null, cannotRunAt: null })
      .where(and(eq(jamVisits.entryUid, entryUid), eq(jamVisits.userUid, userUid)))
    return
  }
  const set = mark === 'skipped' ? { skippedAt: now } : { cannotRunAt: now }
  await tx
    .insert(jamVisits)
    .values({ entryUid, userUid, ...set })
    .onConflictDoUpdate({ target: [jamVisits.entryUid, jamVisits.userUid], set })
}

/** The build of the jam's version that a voter of this system tried: of the system, else in the browser, else any. */
export async function findTriedBuild(db: Db, entryUid: string, systems: readonly string[]) {
  return await one(
    db.execute<{ buildUid: string }>(sql`
      select build.uid as "buildUid" from jam_pins as pin
      join files as file on file.uid = pin.file_uid join builds as build on build.uid = file.build_uid
      where pin.entry_uid = ${entryUid}
      order by coalesce(array_position(${sql.param([...systems])}::text[], build.os), 100), build.uid limit 1`),
  )
}
