import { and, count, desc, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

import type { Db, Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

export interface AccountSearch {
  /** Empty for all. */
  q: string
  suspendedOnly: boolean
}

export type AccountRow = Awaited<ReturnType<typeof listUsers>>[number]

const shown = {
  user: users,
  listings: sql<number>`(select count(*)::int from ${games} where ${games.ownerUid} = ${users.id})`,
}

function matching({ q, suspendedOnly }: AccountSearch): SQL | undefined {
  const contains = (column: AnyPgColumn) => sql`position(lower(${q}) in lower(${column})) > 0`
  const named = isUid(q)
    ? eq(users.id, q)
    : or(contains(users.username), contains(users.name), contains(users.email))
  return and(suspendedOnly ? isNotNull(users.suspendedAt) : undefined, q === '' ? undefined : named)
}

/** The newest first. */
export async function listUsers(db: Db, search: AccountSearch, page: Page) {
  return await db
    .select(shown)
    .from(users)
    .where(matching(search))
    .orderBy(desc(users.id))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countUsers(db: Db, search: AccountSearch): Promise<number> {
  const [row] = await db.select({ count: count() }).from(users).where(matching(search))
  return row?.count ?? 0
}

export async function storeLimit(db: Db, uid: string, storageLimit: number | null): Promise<void> {
  await db.update(users).set({ storageLimit }).where(eq(users.id, uid))
}

export async function findUser(db: Db, uid: string): Promise<AccountRow | undefined> {
  const [row] = await db.select(shown).from(users).where(eq(users.id, uid))
  return row
}

/** Until the transaction ends. */
export async function lockActs(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.operatorActs})`)
}
