import { and, desc, eq, exists, gt, inArray, isNotNull, isNull, lte, notExists, or, sql } from 'drizzle-orm'

import { changed, type Db, inserted, one, pageOf, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { keyBatches, licenseKeys } from '../../../db/schema/selling.ts'
import type { Page } from '../../../lib/paging.ts'

export type BatchRow = typeof keyBatches.$inferSelect
export type ListedBatch = Awaited<ReturnType<typeof listBatches>>['items'][number]
export type RedemptionRow = Awaited<ReturnType<typeof listRedemptions>>[number]

const isRedeemed = isNotNull(licenseKeys.redeemedAt)
const isUnredeemed = isNull(licenseKeys.redeemedAt)
const batchesOf = (db: Db, gameUid: string) =>
  db.select({ uid: keyBatches.uid }).from(keyBatches).where(eq(keyBatches.gameUid, gameUid))

/** Deletes expired keys, so that they no longer count towards the limit. */
export async function deleteExpiredKeys(tx: Transaction, gameUid: string, now: Date): Promise<void> {
  const expired = tx
    .select({ uid: keyBatches.uid })
    .from(keyBatches)
    .where(and(eq(keyBatches.gameUid, gameUid), lte(keyBatches.expiresAt, now)))
  await tx.delete(licenseKeys).where(and(inArray(licenseKeys.batchUid, expired), isUnredeemed))
}

export async function countUnredeemed(db: Db, gameUid: string): Promise<number> {
  return await db.$count(
    licenseKeys,
    and(inArray(licenseKeys.batchUid, batchesOf(db, gameUid)), isUnredeemed),
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
  const batch = await inserted(tx.insert(keyBatches).values(values).returning())
  await tx.insert(licenseKeys).values(codeHashes.map((codeHash) => ({ codeHash, batchUid: batch.uid })))
  return batch
}

export async function listBatches(db: Db, gameUid: string, page: Page) {
  const keysWhere = (condition: ReturnType<typeof isNull>) =>
    sql<number>`(select count(*)::int from ${licenseKeys}
      where ${licenseKeys.batchUid} = ${keyBatches.uid} and ${condition})`
  const isOfGame = eq(keyBatches.gameUid, gameUid)
  const batches = db
    .select({
      batch: keyBatches,
      createdBy: users.username,
      redeemed: keysWhere(isRedeemed),
      left: keysWhere(isUnredeemed),
    })
    .from(keyBatches)
    .leftJoin(users, eq(users.id, keyBatches.createdBy))
    .where(isOfGame)
    .orderBy(desc(keyBatches.uid))
  return await pageOf(batches, db.$count(keyBatches, isOfGame), page)
}

export async function findBatch(db: Db, gameUid: string, uid: string): Promise<BatchRow | undefined> {
  return await one(
    db
      .select()
      .from(keyBatches)
      .where(and(eq(keyBatches.gameUid, gameUid), eq(keyBatches.uid, uid))),
  )
}

/** The newest redemptions of each batch: who redeemed, and when. */
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

/** Deletes the unredeemed keys, and the batch too if none of its keys was redeemed. */
export async function endBatch(tx: Transaction, uid: string, now: Date): Promise<void> {
  await tx.delete(licenseKeys).where(and(eq(licenseKeys.batchUid, uid), isUnredeemed))
  if ((await tx.$count(licenseKeys, eq(licenseKeys.batchUid, uid))) === 0)
    await tx.delete(keyBatches).where(eq(keyBatches.uid, uid))
  else
    await tx
      .update(keyBatches)
      .set({ endedAt: now })
      .where(and(eq(keyBatches.uid, uid), isNull(keyBatches.endedAt)))
}

/** Finds a redeemable key. Locks the listing first, in the same order as all other changes of keys. */
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
  return await one(
    tx
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
          isUnredeemed,
          or(isNull(keyBatches.expiresAt), gt(keyBatches.expiresAt, now)),
        ),
      )
      .for('key share', { of: games }),
  )
}

/** Returns false if the key was redeemed or deleted meanwhile. */
export async function claimKey(tx: Transaction, codeHash: string, userUid: string): Promise<boolean> {
  return await changed(
    tx
      .update(licenseKeys)
      .set({ redeemedBy: userUid, redeemedAt: new Date() })
      .where(and(eq(licenseKeys.codeHash, codeHash), isUnredeemed)),
  )
}
