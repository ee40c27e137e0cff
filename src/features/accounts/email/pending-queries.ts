import { and, eq, gt, inArray, isNull, ne, not, or, sql } from 'drizzle-orm'

import { type Db, one } from '../../../db/client.ts'
import { emailConfirmations, users, verifications } from '../../../db/schema/accounts.ts'
import { promotionRequests } from '../../../db/schema/approvals.ts'
import { games } from '../../../db/schema/games/games.ts'
import { noticeSettings } from '../../../db/schema/notices.ts'

type Confirmation = typeof emailConfirmations.$inferSelect

/** An account has one mailed link to confirm: the newest. */
export async function replaceConfirmation(db: Db, values: Confirmation): Promise<void> {
  await db
    .insert(emailConfirmations)
    .values(values)
    .onConflictDoUpdate({ target: emailConfirmations.userUid, set: values })
}

const isOf = (userUid: string, tokenHash: string, now: Date) =>
  and(
    eq(emailConfirmations.userUid, userUid),
    eq(emailConfirmations.tokenHash, tokenHash),
    gt(emailConfirmations.expiresAt, now),
  )

export async function findConfirmation(db: Db, userUid: string, tokenHash: string, now: Date) {
  return await one(
    db
      .select({ email: emailConfirmations.email })
      .from(emailConfirmations)
      .where(isOf(userUid, tokenHash, now)),
  )
}

/** Returns it to one caller only. */
export async function consumeConfirmation(db: Db, userUid: string, tokenHash: string, now: Date) {
  return await one(
    db
      .delete(emailConfirmations)
      .where(isOf(userUid, tokenHash, now))
      .returning({ email: emailConfirmations.email }),
  )
}

export async function setConfirmedEmail(db: Db, userUid: string, email: string): Promise<void> {
  await db
    .update(users)
    .set({ email, emailVerified: true, updatedAt: new Date() })
    .where(eq(users.id, userUid))
}

/** Whoever confirmed the address got a mail there, so that mails are sent to it again. */
export async function forgetBounces(db: Db, userUid: string): Promise<void> {
  await db.update(noticeSettings).set({ bounces: 0 }).where(eq(noticeSettings.userUid, userUid))
}

/** Second steps and trusted browsers, as the library names them. */
const isSignIn = sql`(${verifications.identifier} like '2fa-%' or ${verifications.identifier} like 'trust-device-%')`

/** The library stores the account as the value of a reset link, a second step and a trusted browser. */
export async function deleteResetLinks(db: Db, userUid: string, except?: string): Promise<void> {
  const others = except === undefined ? undefined : ne(verifications.identifier, except)
  await db.delete(verifications).where(and(eq(verifications.value, userUid), not(isSignIn), others))
}

/** After a change of the password, sign-ins that wait for a second step and trusted browsers must be void. */
async function deleteSignIns(db: Db, userUid: string): Promise<void> {
  await db.delete(verifications).where(and(eq(verifications.value, userUid), isSignIn))
}

export async function hasResetLink(db: Db, identifier: string, now: Date): Promise<boolean> {
  const isLive = and(eq(verifications.identifier, identifier), gt(verifications.expiresAt, now))
  return (await db.$count(verifications, isLive)) > 0
}

export async function deleteResetLink(db: Db, identifier: string): Promise<void> {
  await db.delete(verifications).where(eq(verifications.identifier, identifier))
}

/** Deletes what still waits for a mailed link or an approval, including requests of the account's programs. */
export async function deletePendingRequests(db: Db, userUid: string): Promise<void> {
  const owned = db.select({ uid: games.uid }).from(games).where(eq(games.ownerUid, userUid))
  await db.delete(emailConfirmations).where(eq(emailConfirmations.userUid, userUid))
  await deleteResetLinks(db, userUid)
  await deleteSignIns(db, userUid)
  await db
    .delete(promotionRequests)
    .where(
      and(
        isNull(promotionRequests.decidedAt),
        or(eq(promotionRequests.requestedBy, userUid), inArray(promotionRequests.gameUid, owned)),
      ),
    )
}
