import { and, desc, eq, lt, sql } from 'drizzle-orm'

import { changed, type Db, inserted, one, pageOf, type Transaction } from '../../../db/client.ts'
import { jamCodes } from '../../../db/schema/jams.ts'
import type { Page } from '../../../lib/paging.ts'

export type CodeRow = typeof jamCodes.$inferSelect

const isOf = (jamUid: string, late: boolean) => and(eq(jamCodes.jamUid, jamUid), eq(jamCodes.late, late))
/** By the clock of the database. */
const isOpen = () => and(lt(jamCodes.used, jamCodes.uses), sql`${jamCodes.expiresAt} > clock_timestamp()`)

/** The newest first. */
export async function pageCodes(db: Db, jamUid: string, late: boolean, page: Page) {
  const which = isOf(jamUid, late)
  const newest = db.select().from(jamCodes).where(which).orderBy(desc(jamCodes.uid))
  return await pageOf(newest, db.$count(jamCodes, which), page)
}

export async function countOpenCodes(db: Db, jamUid: string, late: boolean): Promise<number> {
  return await db.$count(jamCodes, and(isOf(jamUid, late), isOpen()))
}

export async function insertCode(tx: Transaction, values: typeof jamCodes.$inferInsert): Promise<CodeRow> {
  return await inserted(tx.insert(jamCodes).values(values).returning())
}

export async function deleteCode(
  tx: Transaction,
  jamUid: string,
  late: boolean,
  uid: string,
): Promise<CodeRow | undefined> {
  return await one(
    tx
      .delete(jamCodes)
      .where(and(isOf(jamUid, late), eq(jamCodes.uid, uid)))
      .returning(),
  )
}

/** Counts a use if one is left; of two concurrent calls only one takes the last. */
export async function takeCode(
  tx: Transaction,
  jamUid: string,
  late: boolean,
  codeHash: string,
  userUid: string,
): Promise<boolean> {
  return await changed(
    tx
      .update(jamCodes)
      .set({ used: sql`${jamCodes.used} + 1`, usedBy: userUid, usedAt: sql`clock_timestamp()` })
      .where(and(isOf(jamUid, late), eq(jamCodes.codeHash, codeHash), isOpen())),
  )
}

/** Codes that expired stay listed for a month; those that admitted somebody as long as the jam. */
export async function deleteUnusedCodes(tx: Transaction, jamUid: string): Promise<void> {
  await tx
    .delete(jamCodes)
    .where(
      and(
        eq(jamCodes.jamUid, jamUid),
        eq(jamCodes.used, 0),
        sql`${jamCodes.expiresAt} < clock_timestamp() - interval '30 days'`,
      ),
    )
}
