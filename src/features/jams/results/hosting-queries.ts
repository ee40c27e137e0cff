import { and, count, eq, isNull, sql } from 'drizzle-orm'

import { type Db, inserted, one, pageOf, type Transaction } from '../../../db/client.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamEntries, jamResults, jams } from '../../../db/schema/jams.ts'
import type { Prize } from '../../../domain/jams.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

export async function lockEntry(tx: Transaction, jamUid: string, gameRef: string) {
  return await one(
    tx
      .select({
        uid: jamEntries.uid,
        gameUid: games.uid,
        name: games.name,
        disqualifiedAt: jamEntries.disqualifiedAt,
      })
      .from(jamEntries)
      .innerJoin(games, eq(games.uid, jamEntries.gameUid))
      .where(
        and(
          eq(jamEntries.jamUid, jamUid),
          isUid(gameRef) ? eq(games.uid, gameRef) : eq(games.vanityName, gameRef),
        ),
      )
      .for('no key update', { of: jamEntries }),
  )
}

/** By name; those that were withdrawn are left out. */
export async function pageEntries(db: Db, jamUid: string, text: string, page: Page) {
  const which = and(
    eq(jamEntries.jamUid, jamUid),
    isNull(jamEntries.withdrawnAt),
    text === '' ? undefined : sql`strpos(lower(${games.name}), lower(${text})) > 0`,
  )
  const ordered = db
    .select({
      uid: games.uid,
      name: games.name,
      received: jamEntries.received,
      rank: jamResults.rank,
      disqualifiedAt: jamEntries.disqualifiedAt,
      disqualifiedFor: jamEntries.disqualifiedFor,
      prizes: jamEntries.prizes,
    })
    .from(jamEntries)
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .leftJoin(jamResults, eq(jamResults.entryUid, jamEntries.uid))
    .where(which)
    .orderBy(games.name, games.uid)
  const total = db
    .select({ count: count() })
    .from(jamEntries)
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .where(which)
    .then(([row]) => row?.count ?? 0)
  return await pageOf(ordered, total, page)
}

/** null: the entry is ranked again. */
export async function setDisqualified(tx: Transaction, uid: string, reason: string | null): Promise<void> {
  await tx
    .update(jamEntries)
    .set({ disqualifiedAt: reason === null ? null : sql`clock_timestamp()`, disqualifiedFor: reason })
    .where(eq(jamEntries.uid, uid))
}

export async function setPrizes(tx: Transaction, uid: string, prizes: Prize[]): Promise<void> {
  await tx.update(jamEntries).set({ prizes }).where(eq(jamEntries.uid, uid))
}

export async function listGames(tx: Transaction, jamUid: string): Promise<string[]> {
  const rows = await tx
    .select({ gameUid: jamEntries.gameUid })
    .from(jamEntries)
    .where(eq(jamEntries.jamUid, jamUid))
  return rows.map(({ gameUid }) => gameUid)
}

export async function findState(tx: Transaction, uid: string) {
  const { resultsHeld, computedAt, publishedAt } = jams
  return await inserted(
    tx.select({ resultsHeld, computedAt, publishedAt }).from(jams).where(eq(jams.uid, uid)),
  )
}
