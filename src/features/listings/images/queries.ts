import { and, asc, count, eq, inArray, max, or, sql } from 'drizzle-orm'

import { buildOnce, type Db, inserted, one, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { images, videos } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jams } from '../../../db/schema/jams.ts'
import { posts } from '../../../db/schema/posts.ts'
import { profiles } from '../../../db/schema/profiles.ts'
import { IMAGE_KINDS, type StoredImageKind } from '../../../domain/listings/listing.ts'
import { selectCovers } from './shared-queries.ts'

export type ImageRow = typeof images.$inferSelect

/** What a page shows by itself, which people add and remove one by one. */
const isShown = inArray(images.kind, [...IMAGE_KINDS])

/** Without posters and the like; the gallery is in its order. */
export async function listImages(db: Db, gameUid: string): Promise<ImageRow[]> {
  return await db
    .select()
    .from(images)
    .where(and(eq(images.gameUid, gameUid), isShown))
    .orderBy(asc(images.position), asc(images.uid))
}

export async function listCovers(db: Db, gameUids: readonly string[]) {
  return await covers(db).execute({ gameUids })
}

const covers = buildOnce((db) => selectCovers(db).prepare('covers'))

export async function loadGallery(
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
  return await inserted(db.insert(images).values(values).returning())
}

/** The object keys of videos of taken-down pages, and of images that only those, taken-down posts and suspended accounts have. */
export async function listHiddenKeys(db: Db): Promise<string[]> {
  const rows = await db.execute<{ key: string }>(sql`
    select distinct hidden.key from (
      select image.object_key as key from ${games} join ${images} as image on image.game_uid = ${games.uid}
        where ${games.takenDown} is not null
      union all select image.object_key from ${posts} join ${images} as image on image.uid = ${posts.pictureUid}
        where ${posts.takenDown} is not null
      union all select picture_key from ${users} where suspended_at is not null
      union all select banner_key from ${users} join ${profiles} on user_uid = id where suspended_at is not null
    ) as hidden
    where hidden.key is not null and not exists (
      select 1 from ${images} as shown join ${games} as page on page.uid = shown.game_uid
        where shown.object_key = hidden.key and page.taken_down is null
          and not exists (select 1 from ${posts} where picture_uid = shown.uid and taken_down is not null)
      union all select 1 from ${users} where picture_key = hidden.key and suspended_at is null
      union all select 1 from ${profiles} join ${users} on id = user_uid
        where banner_key = hidden.key and suspended_at is null
      union all select 1 from ${jams} where cover_key = hidden.key)
    union all
    select object_key from ${games} join ${videos} on ${videos.gameUid} = ${games.uid}
    where ${games.takenDown} is not null and object_key is not null`)
  return rows.map(({ key }) => key)
}

/** Replaces all but those of videos and posts. Returns the object keys of the replaced images. */
export async function replaceImages(
  tx: Transaction,
  gameUid: string,
  values: (typeof images.$inferInsert)[],
): Promise<string[]> {
  const rows = await tx
    .delete(images)
    .where(and(eq(images.gameUid, gameUid), or(isShown, eq(images.kind, 'wide'))))
    .returning({ key: images.objectKey })
  await tx.insert(images).values(values)
  return rows.map(({ key }) => key)
}

/** Posters and pictures of posts are only deleted with what they belong to. */
export async function deleteImage(
  db: Db,
  gameUid: string,
  uid: string,
  kinds: readonly StoredImageKind[] = IMAGE_KINDS,
): Promise<ImageRow | undefined> {
  return await one(
    db
      .delete(images)
      .where(and(eq(images.uid, uid), eq(images.gameUid, gameUid), inArray(images.kind, [...kinds])))
      .returning(),
  )
}

/** Returns their object keys. */
export async function deleteImagesOfKind(db: Db, gameUid: string, kind: StoredImageKind): Promise<string[]> {
  const rows = await db
    .delete(images)
    .where(and(eq(images.gameUid, gameUid), eq(images.kind, kind)))
    .returning({ key: images.objectKey })
  return rows.map(({ key }) => key)
}

export async function orderGallery(db: Db, gameUid: string, uids: readonly string[]): Promise<void> {
  await db.execute(sql`
    update ${images} set position = wanted.position - 1
    from unnest(${sql.param([...uids])}::uuid[]) with ordinality as wanted(uid, position)
    where ${images.uid} = wanted.uid and ${images.gameUid} = ${gameUid}`)
}

export async function findOwner(db: Db, gameUid: string) {
  return await one(
    db
      .select({ userUid: users.id, emailVerified: users.emailVerified })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .where(eq(games.uid, gameUid)),
  )
}
