import { count, desc } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { operatorActs } from '../../../db/schema/operator-acts.ts'
import type { Page } from '../../../lib/paging.ts'

export type ActRow = typeof operatorActs.$inferSelect
export type NewAct = Omit<typeof operatorActs.$inferInsert, 'uid' | 'createdAt'>

export async function insertAct(tx: Transaction, act: NewAct): Promise<void> {
  await tx.insert(operatorActs).values(act)
}

export async function listActs(db: Db, page: Page): Promise<ActRow[]> {
  return await db
    .select()
    .from(operatorActs)
    .orderBy(desc(operatorActs.createdAt), desc(operatorActs.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countActs(db: Db): Promise<number> {
  const [row] = await db.select({ count: count() }).from(operatorActs)
  return row?.count ?? 0
}
