import { eq } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'

export async function findOwner(db: Db, gameUid: string) {
  const [row] = await db
    .select({ userUid: users.id, emailVerified: users.emailVerified })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(eq(games.uid, gameUid))
  return row
}
