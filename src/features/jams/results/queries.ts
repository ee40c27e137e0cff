import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'

import { type Db, one, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamEntries, jamRatings, jamResults, jams } from '../../../db/schema/jams.ts'
import type { EntryResult } from '../../../domain/jams/results.ts'
import type { JamRow } from '../shared-queries.ts'

/** Of one run; the next one follows within a minute. */
const DUE_MAX = 100

const isDue = () =>
  and(isNull(jams.computedAt), isNotNull(jams.pinnedAt), sql`${jams.votingEndsAt} <= clock_timestamp()`)

/** Jams whose voting has ended. */
export async function listDue(db: Db): Promise<string[]> {
  const rows = await db
    .select({ uid: jams.uid })
    .from(jams)
    .where(isDue())
    .orderBy(asc(jams.votingEndsAt), asc(jams.uid))
    .limit(DUE_MAX)
  return rows.map(({ uid }) => uid)
}

/** Waits for ratings that were begun in time. undefined where another process was faster, or the times were moved. */
export async function lockDue(tx: Transaction, uid: string): Promise<JamRow | undefined> {
  return await one(
    tx
      .select()
      .from(jams)
      .where(and(eq(jams.uid, uid), isDue()))
      .for('update'),
  )
}

/** Entries of operators' take-downs are not ranked, like those that hosts disqualified. */
export async function listEntries(tx: Transaction, jamUid: string) {
  return await tx
    .select({
      uid: jamEntries.uid,
      gameUid: jamEntries.gameUid,
      isDisqualified: sql<boolean>`${jamEntries.disqualifiedAt} is not null or ${games.takenDown} is not null
        or ${users.suspendedAt} is not null`,
    })
    .from(jamEntries)
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(and(eq(jamEntries.jamUid, jamUid), isNull(jamEntries.withdrawnAt)))
    .orderBy(jamEntries.uid)
}

export async function listCountedVotes(tx: Transaction, jamUid: string) {
  return await tx
    .select({ entryUid: jamRatings.entryUid, scores: jamRatings.scores })
    .from(jamRatings)
    .where(and(eq(jamRatings.jamUid, jamUid), isNull(jamRatings.fault)))
}

export async function replaceResults(
  tx: Transaction,
  jamUid: string,
  results: readonly EntryResult[],
): Promise<void> {
  await tx.delete(jamResults).where(eq(jamResults.jamUid, jamUid))
  if (results.length === 0) return
  await tx.execute(sql`
    insert into ${jamResults} (jam_uid, entry_uid, rank, ratings, score, adjusted, criteria)
    select ${jamUid}, "entryUid", rank, ratings, score, adjusted, criteria
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
      as given ("entryUid" uuid, rank integer, ratings integer, score float8, adjusted float8, criteria jsonb)`)
}

export async function setMedian(tx: Transaction, uid: string, median: number): Promise<void> {
  await tx.update(jams).set({ median }).where(eq(jams.uid, uid))
}

export async function dropNetworks(tx: Transaction, jamUid: string): Promise<void> {
  await tx
    .update(jamRatings)
    .set({ networkHash: null })
    .where(and(eq(jamRatings.jamUid, jamUid), isNotNull(jamRatings.networkHash)))
}

export async function markComputed(tx: Transaction, uid: string): Promise<void> {
  await tx
    .update(jams)
    .set({ computedAt: sql`clock_timestamp()` })
    .where(eq(jams.uid, uid))
}

export async function markPublished(tx: Transaction, uid: string): Promise<void> {
  await tx
    .update(jams)
    .set({ resultsHeld: false, publishedAt: sql`coalesce(${jams.publishedAt}, clock_timestamp())` })
    .where(eq(jams.uid, uid))
}

export async function markHeld(tx: Transaction, uid: string, resultsHeld: boolean): Promise<void> {
  await tx.update(jams).set({ resultsHeld }).where(eq(jams.uid, uid))
}
