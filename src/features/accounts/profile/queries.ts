import { eq } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { one } from '../../../db/rows.ts'
import { profiles } from '../../../db/schema/profiles.ts'

export type ProfileRow = typeof profiles.$inferSelect
export type ProfileValues = Partial<Pick<ProfileRow, 'bio' | 'links' | 'featuredUid' | 'bannerKey'>>

export async function findProfile(db: Db, userUid: string): Promise<ProfileRow | undefined> {
  return await one(db.select().from(profiles).where(eq(profiles.userUid, userUid)))
}

export async function saveProfile(db: Db, userUid: string, values: ProfileValues): Promise<void> {
  const set = { ...values, updatedAt: new Date() }
  await db
    .insert(profiles)
    .values({ userUid, ...set })
    .onConflictDoUpdate({ target: profiles.userUid, set })
}
