import { and, asc, desc, eq, gt, isNotNull, isNull, like, lt, sql } from 'drizzle-orm'

import { changed, countChanged, type Db, one, type Transaction } from '../../../db/client.ts'
import { authenticators, passkeys, recoveryCodes, users, verifications } from '../../../db/schema/accounts.ts'

/** How the library names the rows of trusted browsers. */
export const TRUSTED = 'trust-device-'

export async function findAuthenticator(db: Db, userUid: string) {
  return await one(db.select().from(authenticators).where(eq(authenticators.userUid, userUid)))
}

/** Replaces an app that is not confirmed; returns false if one is confirmed. */
export async function storeAuthenticator(db: Db, userUid: string, secret: string): Promise<boolean> {
  return await changed(
    db
      .insert(authenticators)
      .values({ userUid, secret })
      .onConflictDoUpdate({
        target: authenticators.userUid,
        set: { secret, lastStep: 0 },
        setWhere: sql`${authenticators.confirmedAt} is null`,
      }),
  )
}

/** Each step is used once, however many processes are asked at the same time. */
export async function consumeStep(db: Db, userUid: string, secret: string, step: number): Promise<boolean> {
  return await changed(
    db
      .update(authenticators)
      .set({ lastStep: step })
      .where(
        and(
          eq(authenticators.userUid, userUid),
          eq(authenticators.secret, secret),
          lt(authenticators.lastStep, step),
        ),
      ),
  )
}

/** Returns false if another browser started with another secret meanwhile, or confirmed this one. */
export async function confirmAuthenticator(
  tx: Transaction,
  userUid: string,
  secret: string,
): Promise<boolean> {
  const isWaiting = and(eq(authenticators.secret, secret), isNull(authenticators.confirmedAt))
  return await changed(
    tx
      .update(authenticators)
      .set({ confirmedAt: new Date() })
      .where(and(eq(authenticators.userUid, userUid), isWaiting)),
  )
}

export async function deleteAuthenticator(tx: Transaction, userUid: string): Promise<boolean> {
  const rows = await tx
    .delete(authenticators)
    .where(eq(authenticators.userUid, userUid))
    .returning({ confirmedAt: authenticators.confirmedAt })
  return rows.some(({ confirmedAt }) => confirmedAt !== null)
}

export async function countRecoveryCodes(db: Db, userUid: string): Promise<number> {
  return await db.$count(recoveryCodes, eq(recoveryCodes.userUid, userUid))
}

export async function replaceRecoveryCodes(
  tx: Transaction,
  userUid: string,
  hashes: readonly string[],
): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userUid, userUid))
  if (hashes.length > 0) {
    await tx.insert(recoveryCodes).values(hashes.map((codeHash) => ({ userUid, codeHash })))
  }
}

/** Returns it to one caller only. */
export async function consumeRecoveryCode(
  tx: Transaction,
  userUid: string,
  codeHash: string,
): Promise<boolean> {
  return await changed(
    tx
      .delete(recoveryCodes)
      .where(and(eq(recoveryCodes.userUid, userUid), eq(recoveryCodes.codeHash, codeHash))),
  )
}

export async function listPasskeys(db: Db, userUid: string) {
  return await db
    .select({
      uid: passkeys.id,
      name: passkeys.name,
      createdAt: passkeys.createdAt,
      lastUsedAt: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userUid))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id))
}

export async function countPasskeys(db: Db, userUid: string): Promise<number> {
  return await db.$count(passkeys, eq(passkeys.userId, userUid))
}

export async function touchPasskey(db: Db, credentialId: string): Promise<void> {
  await db.update(passkeys).set({ lastUsedAt: new Date() }).where(eq(passkeys.credentialID, credentialId))
}

export async function renamePasskey(db: Db, userUid: string, uid: string, name: string): Promise<boolean> {
  return await changed(
    db
      .update(passkeys)
      .set({ name })
      .where(and(eq(passkeys.id, uid), eq(passkeys.userId, userUid))),
  )
}

/** Returns its name. */
export async function deletePasskey(tx: Transaction, userUid: string, uid: string) {
  return await one(
    tx
      .delete(passkeys)
      .where(and(eq(passkeys.id, uid), eq(passkeys.userId, userUid)))
      .returning({ name: passkeys.name }),
  )
}

export async function deletePasskeys(tx: Transaction, userUid: string): Promise<void> {
  await tx.delete(passkeys).where(eq(passkeys.userId, userUid))
}

/** Sets from the existing factors whether the account needs a second step, and returns that. */
export async function updateFactorFlag(tx: Transaction, userUid: string): Promise<boolean> {
  const hasApp = sql`exists (select 1 from ${authenticators}
    where ${authenticators.userUid} = ${users.id} and ${isNotNull(authenticators.confirmedAt)})`
  const hasPasskey = sql`exists (select 1 from ${passkeys} where ${passkeys.userId} = ${users.id})`
  const row = await one(
    tx
      .update(users)
      .set({ twoFactorEnabled: sql`(${hasApp} or ${hasPasskey})` })
      .where(eq(users.id, userUid))
      .returning({ enabled: users.twoFactorEnabled }),
  )
  return row?.enabled ?? false
}

const isTrustedBy = (userUid: string) =>
  and(eq(verifications.value, userUid), like(verifications.identifier, `${TRUSTED}%`))

/** The newest first. */
export async function listTrustedBrowsers(db: Db, userUid: string, now: Date) {
  return await db
    .select({
      uid: verifications.id,
      userAgent: verifications.userAgent,
      lastUsedAt: verifications.createdAt,
      expiresAt: verifications.expiresAt,
    })
    .from(verifications)
    .where(and(isTrustedBy(userUid), gt(verifications.expiresAt, now)))
    .orderBy(desc(verifications.createdAt))
}

/** Without a uid, removes all of them. Returns how many there were. */
export async function forgetTrustedBrowsers(db: Db, userUid: string, uid?: string): Promise<number> {
  return await countChanged(
    db
      .delete(verifications)
      .where(and(isTrustedBy(userUid), uid === undefined ? undefined : eq(verifications.id, uid))),
  )
}
