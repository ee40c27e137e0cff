import { and, eq, lte, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { bugDeliveries } from '../../../db/schema/bugs.ts'
import { games } from '../../../db/schema/games/games.ts'
import { isDue, isPending } from './queries.ts'

/** The owner of a game, and how many deliveries of all their games wait, counted up to the limit. */
export async function countWaiting(db: Db, gameUid: string, limit: number) {
  const [game] = await db.select({ ownerUid: games.ownerUid }).from(games).where(eq(games.uid, gameUid))
  if (!game) return undefined
  const waiting = db
    .select({ uid: bugDeliveries.uid })
    .from(bugDeliveries)
    .innerJoin(games, eq(games.uid, bugDeliveries.gameUid))
    .where(and(eq(games.ownerUid, game.ownerUid), isPending))
    .limit(limit)
    .as('waiting')
  return { ownerUid: game.ownerUid, waiting: await db.$count(waiting) }
}

/** Until the transaction ends, nobody else chooses the moment of the owner's next turn. */
export async function lockTurns(tx: Transaction, ownerUid: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`webhook turns of ${ownerUid}`}, 0))`)
}

/** The oldest due delivery to each URL of the owner's games. */
export async function listDue(db: Db, ownerUid: string, limit: number): Promise<string[]> {
  const oldest = db
    .selectDistinctOn([bugDeliveries.url], { uid: bugDeliveries.uid, nextTryAt: bugDeliveries.nextTryAt })
    .from(bugDeliveries)
    .innerJoin(games, eq(games.uid, bugDeliveries.gameUid))
    .where(and(eq(games.ownerUid, ownerUid), isPending, isDue))
    .orderBy(bugDeliveries.url, bugDeliveries.nextTryAt, bugDeliveries.uid)
    .as('oldest')
  const rows = await db
    .select({ uid: oldest.uid })
    .from(oldest)
    .orderBy(oldest.nextTryAt, oldest.uid)
    .limit(limit)
  return rows.map(({ uid }) => uid)
}

/** When a delivery of the owner's games is due next; null if none is waiting. */
export async function findNextTry(db: Db, ownerUid: string): Promise<Date | null> {
  const [row] = await db
    .select({ at: bugDeliveries.nextTryAt })
    .from(bugDeliveries)
    .innerJoin(games, eq(games.uid, bugDeliveries.gameUid))
    .where(and(eq(games.ownerUid, ownerUid), isPending))
    .orderBy(bugDeliveries.nextTryAt)
    .limit(1)
  return row?.at ?? null
}

/** When the waiting job with this key runs; null if there is none. */
export async function findQueuedAt(db: Db, key: string): Promise<Date | null> {
  const [row] = await db.execute<{ run_at: string }>(
    sql`select run_at from graphile_worker.jobs where key = ${key} and locked_at is null`,
  )
  return row ? new Date(row.run_at) : null
}

/** Whose games have deliveries that were due before. */
export async function listOverdueOwners(db: Db, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectDistinct({ ownerUid: games.ownerUid })
    .from(bugDeliveries)
    .innerJoin(games, eq(games.uid, bugDeliveries.gameUid))
    .where(and(isPending, lte(bugDeliveries.nextTryAt, before)))
    .limit(limit)
  return rows.map(({ ownerUid }) => ownerUid)
}
