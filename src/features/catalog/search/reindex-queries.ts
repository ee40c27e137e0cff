import { and, eq, gte, isNotNull, lt, notExists, sql } from 'drizzle-orm'

import { changed, type Db, one, type Transaction } from '../../../db/client.ts'
import { games } from '../../../db/schema/games/games.ts'
import { searchDocuments, searchReindexes } from '../../../db/schema/search.ts'

export type Reindex = typeof searchReindexes.$inferSelect

const isPublic = eq(games.visibility, 'public')

/** null when none is unfinished. */
export async function findReindex(db: Db): Promise<Reindex | null> {
  return (await one(db.select().from(searchReindexes))) ?? null
}

/** Extends an unfinished one, so that it includes the listings from this uid on. */
export async function upsertReindex(tx: Transaction, nextUid: string, isFull: boolean): Promise<void> {
  const { nextUid: next, isFull: full, done, requests } = searchReindexes
  await tx
    .insert(searchReindexes)
    .values({ nextUid, isFull })
    .onConflictDoUpdate({
      target: searchReindexes.isOnly,
      set: {
        nextUid: sql`least(${next}, excluded.next_uid)`,
        isFull: sql`${full} or excluded.is_full`,
        done: sql`case when excluded.is_full then 0 else ${done} end`,
        requests: sql`${requests} + 1`,
        movedAt: sql`now()`,
      },
    })
}

export interface ReindexStep {
  fromUid: string
  /** null when it is finished. */
  nextUid: string | null
  /** The number of requests before the listings were read. */
  requests: number
}

/** Returns false when more was requested meanwhile. */
export async function moveReindex(
  tx: Transaction,
  { fromUid, nextUid, requests }: ReindexStep,
  count: number,
): Promise<boolean> {
  const isThere = and(eq(searchReindexes.nextUid, fromUid), eq(searchReindexes.requests, requests))
  return await changed(
    nextUid === null
      ? tx.delete(searchReindexes).where(isThere)
      : tx
          .update(searchReindexes)
          .set({ nextUid, done: sql`${searchReindexes.done} + ${count}`, movedAt: sql`now()` })
          .where(isThere),
  )
}

export async function countPublic(db: Db, fromUid: string): Promise<number> {
  return await db.$count(games, and(gte(games.uid, fromUid), isPublic))
}

/** Indexed listings in this range of uids that are not public, or deleted. */
export async function listNotPublic(db: Db, fromUid: string, nextUid: string | null): Promise<string[]> {
  const { gameUid, document } = searchDocuments
  const found = db
    .select({ uid: games.uid })
    .from(games)
    .where(and(eq(games.uid, gameUid), isPublic))
  const rows = await db
    .select({ gameUid })
    .from(searchDocuments)
    .where(
      and(
        gte(gameUid, fromUid),
        nextUid === null ? undefined : lt(gameUid, nextUid),
        isNotNull(document),
        notExists(found),
      ),
    )
  return rows.map((row) => row.gameUid)
}
