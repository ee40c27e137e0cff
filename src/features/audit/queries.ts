import { desc } from 'drizzle-orm'

import { type Db, pageOf, type Transaction } from '../../db/client.ts'
import { operatorActs } from '../../db/schema/operate.ts'
import type { Page, Paged } from '../../lib/paging.ts'

type ActRow = typeof operatorActs.$inferSelect
type NewAct = Omit<typeof operatorActs.$inferInsert, 'uid' | 'createdAt'>

export async function insertAct(tx: Transaction, act: NewAct): Promise<void> {
  await tx.insert(operatorActs).values(act)
}

export async function listActs(db: Db, page: Page): Promise<Paged<ActRow>> {
  const acts = db.select().from(operatorActs).orderBy(desc(operatorActs.createdAt), desc(operatorActs.uid))
  return await pageOf(acts, db.$count(operatorActs), page)
}
