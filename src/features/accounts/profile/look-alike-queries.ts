import { and, eq, isNull, ne, or, sql } from 'drizzle-orm'

import { anyOf, type Db, one } from '../../../db/client.ts'
import { usernameSkeleton, users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { lookAlikes } from '../../../db/schema/operate.ts'

/** A developer with a public listing whose name or username has one of these skeletons. */
export async function findLookedLike(
  db: Db,
  userUid: string,
  skeletons: readonly string[],
): Promise<string | undefined> {
  const isDeveloper = sql`exists (
    select 1 from ${games} where ${games.ownerUid} = ${users.id} and ${games.visibility} = 'public')`
  const isAlike = or(
    anyOf(users.nameSkeleton, skeletons),
    sql`${usernameSkeleton} = any(${sql.param([...skeletons])}::text[])`,
  )
  const other = await one(
    db
      .select({ uid: users.id })
      .from(users)
      .where(and(ne(users.id, userUid), isNull(users.suspendedAt), isAlike, isDeveloper))
      .limit(1),
  )
  return other?.uid
}

/** The same name stays dismissed. */
export async function saveLookAlike(
  db: Db,
  values: Pick<typeof lookAlikes.$inferInsert, 'userUid' | 'name' | 'otherUid'>,
): Promise<void> {
  const { name, otherUid } = values
  const isSame = sql`${lookAlikes.name} = excluded.name and ${lookAlikes.otherUid} is not distinct from excluded.other_uid`
  await db
    .insert(lookAlikes)
    .values(values)
    .onConflictDoUpdate({
      target: lookAlikes.userUid,
      set: {
        name,
        otherUid,
        createdAt: sql`case when ${isSame} then ${lookAlikes.createdAt} else now() end`,
        dismissedAt: sql`case when ${isSame} then ${lookAlikes.dismissedAt} end`,
      },
    })
}

export async function deleteLookAlike(db: Db, userUid: string): Promise<void> {
  await db.delete(lookAlikes).where(eq(lookAlikes.userUid, userUid))
}
