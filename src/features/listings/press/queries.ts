import { and, asc, eq, inArray } from 'drizzle-orm'

import { type Db, one } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { images, pressKits } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { IMAGE_KINDS } from '../../../domain/listings/listing.ts'
import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import { shownVideos } from '../videos/shared-queries.ts'

export type ImageFile = Pick<typeof images.$inferSelect, 'kind' | 'objectKey' | 'size'>

export async function findKit(db: Db, gameUid: string): Promise<PressKitValue | undefined> {
  const [row] = await db.select({ kit: pressKits.kit }).from(pressKits).where(eq(pressKits.gameUid, gameUid))
  return row?.kit
}

export async function replaceKit(db: Db, gameUid: string, kit: PressKitValue): Promise<void> {
  const updatedAt = new Date()
  await db
    .insert(pressKits)
    .values({ gameUid, kit, updatedAt })
    .onConflictDoUpdate({ target: pressKits.gameUid, set: { kit, updatedAt } })
}

/** What a press page shows beyond the row of the listing. */
export async function findPressFacts(db: Db, gameUid: string) {
  return await one(
    db
      .select({ ...personColumns, kit: pressKits.kit, videos: shownVideos })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .leftJoin(pressKits, eq(pressKits.gameUid, games.uid))
      .where(eq(games.uid, gameUid)),
  )
}

/** Cover, thumbnail and the gallery in its order. */
export async function listImageFiles(db: Db, gameUid: string): Promise<ImageFile[]> {
  return await db
    .select({ kind: images.kind, objectKey: images.objectKey, size: images.size })
    .from(images)
    .where(and(eq(images.gameUid, gameUid), inArray(images.kind, IMAGE_KINDS)))
    .orderBy(asc(images.position), asc(images.uid))
}
