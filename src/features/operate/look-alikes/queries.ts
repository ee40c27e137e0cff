import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'

import { changed, type Db, pageOf, type Transaction } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { lookAlikes } from '../../../db/schema/operate.ts'
import type { Page } from '../../../lib/paging.ts'

const other = alias(users, 'other')
const isOpen = isNull(lookAlikes.dismissedAt)

export type LookAlikeRow = Awaited<ReturnType<typeof listOpen>>['items'][number]

/** The oldest first. */
export async function listOpen(db: Db, page: Page) {
  const rows = db
    .select({
      uid: lookAlikes.userUid,
      person: personColumns,
      otherUid: other.id,
      otherUsername: other.username,
      otherName: sql<string | null>`coalesce(${other.displayName}, ${other.username})`,
      otherPicture: other.pictureKey,
      createdAt: lookAlikes.createdAt,
    })
    .from(lookAlikes)
    .innerJoin(users, eq(users.id, lookAlikes.userUid))
    .leftJoin(other, eq(other.id, lookAlikes.otherUid))
    .where(isOpen)
    .orderBy(asc(lookAlikes.createdAt), asc(lookAlikes.userUid))
  return await pageOf(rows, countOpen(db), page)
}

export async function countOpen(db: Db): Promise<number> {
  return await db.$count(lookAlikes, isOpen)
}

export async function dismiss(tx: Transaction, userUid: string): Promise<boolean> {
  return await changed(
    tx
      .update(lookAlikes)
      .set({ dismissedAt: new Date() })
      .where(and(eq(lookAlikes.userUid, userUid), isOpen)),
  )
}

export async function findUsername(tx: Transaction, uid: string): Promise<string> {
  const [row] = await tx.select({ username: users.username }).from(users).where(eq(users.id, uid))
  return row?.username ?? ''
}
