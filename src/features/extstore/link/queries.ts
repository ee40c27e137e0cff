import { and, eq, isNotNull, sql } from 'drizzle-orm'

import { changed, type Db, one } from '../../../db/client.ts'
import { extstoreLinks, extstoreRevocations } from '../../../db/schema/extstore.ts'
import { EVERY_PLAYER } from './model.ts'

export type LinkRow = typeof extstoreLinks.$inferSelect

const ofGame = (gameUid: string) => eq(extstoreLinks.gameUid, gameUid)
const whileOn = (gameUid: string) => and(ofGame(gameUid), isNotNull(extstoreLinks.authKey))

export async function findLink(db: Db, gameUid: string): Promise<LinkRow | undefined> {
  return await one(db.select().from(extstoreLinks).where(ofGame(gameUid)))
}

/** Returns false when the app already has a listing, or the listing an app. */
export async function insertLink(db: Db, gameUid: string, appId: number): Promise<boolean> {
  return await changed(db.insert(extstoreLinks).values({ gameUid, appId }).onConflictDoNothing())
}

export async function deleteLink(db: Db, gameUid: string): Promise<void> {
  await db.delete(extstoreLinks).where(ofGame(gameUid))
}

export async function touchSync(db: Db, gameUid: string): Promise<void> {
  await db
    .update(extstoreLinks)
    .set({ lastSyncAt: sql`now()` })
    .where(ofGame(gameUid))
}

/** Existing keys stay. Returns false when the listing is not linked. */
export async function saveKeys(
  db: Db,
  gameUid: string,
  keys: { authKey: string; authKeyHash: string; ticketKey: string; webApiKey: string },
): Promise<boolean> {
  return await changed(
    db
      .update(extstoreLinks)
      .set({
        authKey: sql`coalesce(${extstoreLinks.authKey}, ${keys.authKey})`,
        authKeyHash: sql`case when ${extstoreLinks.authKey} is null then ${keys.authKeyHash} else ${extstoreLinks.authKeyHash} end`,
        ticketKey: sql`coalesce(${extstoreLinks.ticketKey}, ${keys.ticketKey})`,
        webApiKey: keys.webApiKey,
      })
      .where(ofGame(gameUid)),
  )
}

export async function replaceKey(
  db: Db,
  gameUid: string,
  key: { authKey: string; authKeyHash: string } | { ticketKey: string } | { webApiKey: string },
): Promise<void> {
  await db.update(extstoreLinks).set(key).where(whileOn(gameUid))
}

export async function clearKeys(db: Db, gameUid: string): Promise<void> {
  await db
    .update(extstoreLinks)
    .set({ authKey: null, authKeyHash: null, ticketKey: null, webApiKey: null })
    .where(ofGame(gameUid))
}

/** Revokes all tokens of the game with one row. */
export async function endEveryToken(db: Db, gameUid: string): Promise<void> {
  const revokedAt = sql`clock_timestamp()`
  await db
    .insert(extstoreRevocations)
    .values({ gameUid, extstoreId: EVERY_PLAYER, revokedAt })
    .onConflictDoUpdate({
      target: [extstoreRevocations.gameUid, extstoreRevocations.extstoreId],
      set: { revokedAt },
    })
}
