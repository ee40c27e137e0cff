import { eq } from 'drizzle-orm'

import { type Db, one, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { profiles } from '../../../db/schema/profiles.ts'
import type { PersonImage } from '../../../domain/actor.ts'

type ProfileRow = typeof profiles.$inferSelect
export type ProfileValues = Partial<Pick<ProfileRow, 'bio' | 'links' | 'featuredUid' | 'bannerKey'>>

export async function findProfile(db: Db, userUid: string): Promise<ProfileRow | undefined> {
  return await one(db.select().from(profiles).where(eq(profiles.userUid, userUid)))
}

/** Returns the key that the account had before. */
export async function replaceImageKey(
  tx: Transaction,
  userUid: string,
  kind: PersonImage,
  key: string | null,
): Promise<string | null> {
  if (kind === 'banner') {
    const before = await findProfile(tx, userUid)
    await saveProfile(tx, userUid, { bannerKey: key })
    return before?.bannerKey ?? null
  }
  const [before] = await tx.select({ key: users.pictureKey }).from(users).where(eq(users.id, userUid))
  await tx.update(users).set({ pictureKey: key, updatedAt: new Date() }).where(eq(users.id, userUid))
  return before?.key ?? null
}

/** The keys of all images of the account. */
export async function listImageKeys(db: Db, userUid: string): Promise<string[]> {
  const row = await one(
    db
      .select({ picture: users.pictureKey, banner: profiles.bannerKey })
      .from(users)
      .leftJoin(profiles, eq(profiles.userUid, users.id))
      .where(eq(users.id, userUid)),
  )
  return [row?.picture, row?.banner].flatMap((key) => key ?? [])
}

export async function saveProfile(db: Db, userUid: string, values: ProfileValues): Promise<void> {
  const set = { ...values, updatedAt: new Date() }
  await db
    .insert(profiles)
    .values({ userUid, ...set })
    .onConflictDoUpdate({ target: profiles.userUid, set })
}
