import { desc, eq } from 'drizzle-orm'

import type { Db, Transaction } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { gameHistory } from '../../db/schema/games/game-history.ts'
import { oauthClients } from '../../db/schema/oauth.ts'
import type { Page } from '../../lib/paging.ts'

export type ChangeRow = typeof gameHistory.$inferSelect

export async function findAgentNames(db: Db, userUid: string, clientId: string) {
  const [row] = await db
    .select({ username: users.username, program: oauthClients.name })
    .from(users)
    .leftJoin(oauthClients, eq(oauthClients.clientId, clientId))
    .where(eq(users.id, userUid))
  return row
}

export async function insertChange(tx: Transaction, values: typeof gameHistory.$inferInsert): Promise<void> {
  await tx.insert(gameHistory).values(values)
}

export async function listChanges(db: Db, gameUid: string, page: Page): Promise<ChangeRow[]> {
  return await db
    .select()
    .from(gameHistory)
    .where(eq(gameHistory.gameUid, gameUid))
    .orderBy(desc(gameHistory.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countChanges(db: Db, gameUid: string): Promise<number> {
  return await db.$count(gameHistory, eq(gameHistory.gameUid, gameUid))
}
