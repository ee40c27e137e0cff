import { and, asc, count, eq, inArray, max, sql } from 'drizzle-orm'

import { anyOf } from '../../db/any-of.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { images } from '../../db/schema/game-pages.ts'
import type { ImageKind } from '../../lib/taxonomy/image-kinds.ts'

export type ImageRow = typeof images.$inferSelect

/** The gallery in its order. */
export async function listImages(db: Db, gameUid: string): Promise<ImageRow[]> {
  return await db
    .select()
    .from(images)
    .where(eq(images.gameUid, gameUid))
    .orderBy(asc(images.position), asc(images.uid))
}

export async function listCovers(db: Db, gameUids: readonly string[]): Promise<ImageRow[]> {
  return await db
    .select()
    .from(images)
    .where(and(anyOf(images.gameUid, gameUids), inArray(images.kind, ['cover', 'thumbnail'])))
}

export async function readGallery(
  db: Db,
  gameUid: string,
): Promise<{ count: number; lastPosition: number | null }> {
  const [row] = await db
    .select({ count: count(), lastPosition: max(images.position) })
    .from(images)
    .where(and(eq(images.gameUid, gameUid), eq(images.kind, 'gallery')))
  return row ?? { count: 0, lastPosition: null }
}

export async function insertImage(db: Db, values: typeof images.$inferInsert): Promise<ImageRow> {
  const [row] = await db.insert(images).values(values).returning()
  if (!row) throw new Error('The image was not stored')
  return row
}

export async function replaceImages(
  tx: Transaction,
  gameUid: string,
  values: (typeof images.$inferInsert)[],
): Promise<void> {
  await tx.delete(images).where(eq(images.gameUid, gameUid))
  await tx.insert(images).values(values)
}

export async function deleteImage(db: Db, gameUid: string, uid: string): Promise<boolean> {
  const rows = await db
    .delete(images)
    .where(and(eq(images.uid, uid), eq(images.gameUid, gameUid)))
    .returning({ uid: images.uid })
  return rows.length > 0
}

export async function deleteImagesOfKind(db: Db, gameUid: string, kind: ImageKind): Promise<void> {
  await db.delete(images).where(and(eq(images.gameUid, gameUid), eq(images.kind, kind)))
}

export async function orderGallery(db: Db, gameUid: string, uids: readonly string[]): Promise<void> {
  await db.execute(sql`
    update ${images} set position = wanted.position - 1
    from unnest(${sql.param([...uids])}::uuid[]) with ordinality as wanted(uid, position)
    where ${images.uid} = wanted.uid and ${images.gameUid} = ${gameUid}`)
}

/** Until the transaction ends, nobody else gives this object a row or takes it away. */
export async function lockObject(tx: Transaction, objectKey: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${objectKey}, 0))`)
}

export async function listNamedKeys(db: Db, objectKeys: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ objectKey: images.objectKey })
    .from(images)
    .where(inArray(images.objectKey, [...objectKeys]))
  return new Set(rows.map((row) => row.objectKey))
}
