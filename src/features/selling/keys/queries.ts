import {
  and,
  count,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  notExists,
  or,
  sql,
} from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { gameAdmins } from '../../../db/schema/games/game-team.ts'
import { games } from '../../../db/schema/games/games.ts'
import { keyBatches, licenseKeys } from '../../../db/schema/selling/license-keys.ts'
import type { Page } from '../../../lib/paging.ts'

export type BatchRow = typeof keyBatches.$inferSelect
export type ListedBatch = Awaited<ReturnType<typeof listBatches>>[number]

const isRedeemed = isNotNull(licenseKeys.redeemedAt)
const batchesOf = (db: Db, gameUid: string) =>
  db.select({ uid: keyBatches.uid }).from(keyBatches).where(eq(keyBatches.gameUid, gameUid))

/** What expired makes room for new keys. */
export async function deleteExpiredKeys(tx: Transaction, gameUid: string, now: Date): Promise<void> {
  const expired = tx
    .select({ uid: keyBatches.uid })
    .from(keyBatches)
    .where(and(eq(keyBatches.gameUid, gameUid), lte(keyBatches.expiresAt, now)))
  await tx
    .delete(licenseKeys)
    .where(and(inArray(licenseKeys.batchUid, expired), isNull(licenseKeys.redeemedAt)))
}

export async function countUnredeemed(db: Db, gameUid: string): Promise<number> {
  return await db.$count(
    licenseKeys,
    and(inArray(licenseKeys.batchUid, batchesOf(db, gameUid)), isNull(licenseKeys.redeemedAt)),
  )
}

export async function countUnusedBatches(db: Db, gameUid: string): Promise<number> {
  const used = db
    .select({ one: sql`1` })
    .from(licenseKeys)
    .where(and(eq(licenseKeys.batchUid, keyBatches.uid), isRedeemed))
  return await db.$count(keyBatches, and(eq(keyBatches.gameUid, gameUid), notExists(used)))
}

export async function insertBatch(
  tx: Transaction,
  values: typeof keyBatches.$inferInsert,
  codeHashes: readonly string[],
): Promise<BatchRow> {
  const [batch] = await tx.insert(keyBatches).values(values).returning()
  if (!batch) throw new Error('The keys were not stored')
  await tx.insert(licenseKeys).values(codeHashes.map((codeHash) => ({ codeHash, batchUid: batch.uid })))
  return batch
}

export async function listBatches(db: Db, gameUid: string, page: Page) {
  const keysWhere = (condition: ReturnType<typeof isNull>) =>
    sql<number>`(select count(*)::int from ${licenseKeys}
      where ${licenseKeys.batchUid} = ${keyBatches.uid} and ${condition})`
  return await db
    .select({
      batch: keyBatches,
      createdBy: users.username,
      redeemed: keysWhere(isRedeemed),
      left: keysWhere(isNull(licenseKeys.redeemedAt)),
    })
    .from(keyBatches)
    .leftJoin(users, eq(users.id, keyBatches.createdBy))
    .where(eq(keyBatches.gameUid, gameUid))
    .orderBy(desc(keyBatches.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countBatches(db: Db, gameUid: string): Promise<number> {
  return await db.$count(keyBatches, eq(keyBatches.gameUid, gameUid))
}

export async function findBatch(db: Db, gameUid: string, uid: string): Promise<BatchRow | undefined> {
  const [row] = await db
    .select()
    .from(keyBatches)
    .where(and(eq(keyBatches.gameUid, gameUid), eq(keyBatches.uid, uid)))
  return row
}

/** Who redeemed when, the newest of each batch first. */
export async function listRedemptions(db: Db, batchUids: readonly string[], perBatch: number) {
  if (batchUids.length === 0) return []
  const ranked = db
    .select({
      batchUid: licenseKeys.batchUid,
      redeemedBy: licenseKeys.redeemedBy,
      redeemedAt: licenseKeys.redeemedAt,
      place: sql<number>`row_number() over (partition by ${licenseKeys.batchUid}
        order by ${licenseKeys.redeemedAt} desc, ${licenseKeys.codeHash})`.as('place'),
    })
    .from(licenseKeys)
    .where(and(inArray(licenseKeys.batchUid, [...batchUids]), isRedeemed))
    .as('ranked')
  return await db
    .select({ batchUid: ranked.batchUid, username: users.username, redeemedAt: ranked.redeemedAt })
    .from(ranked)
    .leftJoin(users, eq(users.id, ranked.redeemedBy))
    .where(lte(ranked.place, perBatch))
    .orderBy(ranked.batchUid, ranked.place)
}

/** Deletes what is unredeemed; the batch goes too unless somebody redeemed something of it. */
export async function endBatch(tx: Transaction, uid: string, now: Date): Promise<void> {
  await tx.delete(licenseKeys).where(and(eq(licenseKeys.batchUid, uid), isNull(licenseKeys.redeemedAt)))
  const [left] = await tx.select({ count: count() }).from(licenseKeys).where(eq(licenseKeys.batchUid, uid))
  if (left?.count === 0) await tx.delete(keyBatches).where(eq(keyBatches.uid, uid))
  else
    await tx
      .update(keyBatches)
      .set({ endedAt: now })
      .where(and(eq(keyBatches.uid, uid), isNull(keyBatches.endedAt)))
}

/** A key that can be redeemed. Locks the listing first, as everything else does that changes keys. */
export async function findOpenKey(tx: Transaction, codeHash: string, userUid: string, now: Date) {
  const membership = tx
    .select({ one: sql`1` })
    .from(gameAdmins)
    .where(
      and(
        eq(gameAdmins.gameUid, games.uid),
        eq(gameAdmins.userUid, userUid),
        isNotNull(gameAdmins.acceptedAt),
      ),
    )
  const [row] = await tx
    .select({
      game: { uid: games.uid, name: games.name, adult: games.adult, takenDown: games.takenDown },
      editionUid: keyBatches.editionUid,
      isOnTeam: sql<boolean>`${or(eq(games.ownerUid, userUid), exists(membership))}`,
    })
    .from(licenseKeys)
    .innerJoin(keyBatches, eq(keyBatches.uid, licenseKeys.batchUid))
    .innerJoin(games, eq(games.uid, keyBatches.gameUid))
    .where(
      and(
        eq(licenseKeys.codeHash, codeHash),
        isNull(licenseKeys.redeemedAt),
        or(isNull(keyBatches.expiresAt), gt(keyBatches.expiresAt, now)),
      ),
    )
    .for('key share', { of: games })
  return row
}

/** Returns false when somebody else was faster, or the key ended. */
export async function takeKey(tx: Transaction, codeHash: string, userUid: string): Promise<boolean> {
  const rows = await tx
    .update(licenseKeys)
    .set({ redeemedBy: userUid, redeemedAt: new Date() })
    .where(and(eq(licenseKeys.codeHash, codeHash), isNull(licenseKeys.redeemedAt)))
    .returning({ codeHash: licenseKeys.codeHash })
  return rows.length > 0
}
