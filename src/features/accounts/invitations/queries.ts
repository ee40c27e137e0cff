import { and, desc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'

import { type Db, one, pageOf, type Transaction } from '../../../db/client.ts'
import { invitations } from '../../../db/schema/settings.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

type InvitationRow = typeof invitations.$inferSelect
type NewInvitation = typeof invitations.$inferInsert

/** Invitations that can still be used. */
const isOpen = (now: Date) =>
  and(
    lt(invitations.used, invitations.uses),
    or(isNull(invitations.expiresAt), gt(invitations.expiresAt, now)),
  )

export async function insertInvitations(
  tx: Transaction,
  rows: readonly NewInvitation[],
): Promise<InvitationRow[]> {
  return await tx
    .insert(invitations)
    .values([...rows])
    .returning()
}

export async function listInvitations(db: Db, page: Page): Promise<Paged<InvitationRow>> {
  const newest = db.select().from(invitations).orderBy(desc(invitations.uid))
  return await pageOf(newest, db.$count(invitations), page)
}

export async function countOpenInvitations(db: Db, now: Date): Promise<number> {
  return await db.$count(invitations, isOpen(now))
}

export async function deleteInvitation(tx: Transaction, uid: string): Promise<InvitationRow | undefined> {
  return await one(tx.delete(invitations).where(eq(invitations.uid, uid)).returning())
}

/** Counts a use if one is left; of two concurrent calls only one takes the last. */
export async function consumeInvitation(
  tx: Db,
  codeHash: string,
  email: string,
  now: Date,
): Promise<InvitationRow | undefined> {
  const isForThem = or(isNull(invitations.email), eq(invitations.email, email))
  return await one(
    tx
      .update(invitations)
      .set({ used: sql`${invitations.used} + 1` })
      .where(and(eq(invitations.codeHash, codeHash), isForThem, isOpen(now)))
      .returning(),
  )
}
