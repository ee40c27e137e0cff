import { and, desc, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

import { type Db, one, pageOf, type Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { profiles } from '../../../db/schema/profiles.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

export interface AccountSearch {
  /** Empty for all. */
  q: string
  suspendedOnly: boolean
}

export type AccountRow = Awaited<ReturnType<typeof selectUsers>>[number]

function selectUsers(db: Db) {
  const listings = sql<number>`(select count(*)::int from ${games} where ${games.ownerUid} = ${users.id})`
  const hasProfile = sql<boolean>`(${users.displayName} is not null or ${users.pictureKey} is not null or exists (
    select 1 from ${profiles} where ${profiles.userUid} = ${users.id}
      and (${profiles.bio} <> '' or ${profiles.bannerKey} is not null or ${profiles.links} <> '[]')))`
  return db.select({ user: users, person: personColumns, listings, hasProfile }).from(users)
}

function matching({ q, suspendedOnly }: AccountSearch): SQL | undefined {
  const contains = (column: AnyPgColumn) => sql`position(lower(${q}) in lower(${column})) > 0`
  const named = isUid(q)
    ? eq(users.id, q)
    : or(contains(users.username), contains(users.displayName), contains(users.name), contains(users.email))
  return and(suspendedOnly ? isNotNull(users.suspendedAt) : undefined, q === '' ? undefined : named)
}

/** The newest first. */
export async function listUsers(db: Db, search: AccountSearch, page: Page) {
  const where = matching(search)
  return await pageOf(selectUsers(db).where(where).orderBy(desc(users.id)), db.$count(users, where), page)
}

export async function storeLimit(db: Db, uid: string, storageLimit: number | null): Promise<void> {
  await db.update(users).set({ storageLimit }).where(eq(users.id, uid))
}

export async function findUser(db: Db, uid: string): Promise<AccountRow | undefined> {
  return await one(selectUsers(db).where(eq(users.id, uid)))
}

/** Serialises acts on accounts until the transaction ends. */
export async function lockActs(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.operatorActs})`)
}
