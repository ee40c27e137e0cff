import { desc, eq, inArray, or, sql } from 'drizzle-orm'

import { type Db, one, type Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { collections } from '../../../db/schema/catalog.ts'
import { games } from '../../../db/schema/games/games.ts'
import { isUid } from '../../../lib/ids.ts'

export type CollectionRow = typeof collections.$inferSelect
export type NewCollection = Omit<typeof collections.$inferInsert, 'uid' | 'createdAt'>

const { uid } = collections
const named = (ref: string) => (isUid(ref) ? eq(uid, ref) : eq(collections.slug, ref))

/** The newest first. */
export async function listCollections(db: Db): Promise<CollectionRow[]> {
  return await db.select().from(collections).orderBy(desc(collections.createdAt), desc(uid))
}

/** Locks out other additions until the transaction ends. */
export async function countForAdding(tx: Transaction): Promise<number> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.collections})`)
  return await tx.$count(collections)
}

/** `ref` is a uid or a slug. */
export async function findCollection(db: Db, ref: string): Promise<CollectionRow | undefined> {
  return await one(db.select().from(collections).where(named(ref)))
}

export async function lockCollection(tx: Transaction, ref: string): Promise<CollectionRow | undefined> {
  return await one(tx.select().from(collections).where(named(ref)).for('update'))
}

export async function insertCollection(
  tx: Transaction,
  values: NewCollection,
): Promise<CollectionRow | undefined> {
  return await one(tx.insert(collections).values(values).returning())
}

export async function updateCollection(
  tx: Transaction,
  collectionUid: string,
  values: NewCollection,
): Promise<CollectionRow | undefined> {
  return await one(tx.update(collections).set(values).where(eq(uid, collectionUid)).returning())
}

export async function deleteCollection(tx: Transaction, collectionUid: string): Promise<void> {
  await tx.delete(collections).where(eq(uid, collectionUid))
}

/** Listings in any state, by uid or vanity name. */
export async function listNamedGames(db: Db, refs: readonly string[]) {
  if (refs.length === 0) return []
  return await db
    .select({
      uid: games.uid,
      vanityName: games.vanityName,
      name: games.name,
      visibility: games.visibility,
    })
    .from(games)
    .where(or(inArray(games.uid, refs.filter(isUid)), inArray(games.vanityName, [...refs])))
}
