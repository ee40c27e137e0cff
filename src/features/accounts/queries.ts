import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'

import {
  anyOf,
  buildOnce,
  changed,
  countChanged,
  type Db,
  hasRows,
  inserted,
  one,
  pageOf,
  type Transaction,
} from '../../db/client.ts'
import { LOCKS } from '../../db/locks/locks.ts'
import {
  accounts,
  emailConfirmations,
  playerKeys,
  sessions,
  users,
  verifications,
} from '../../db/schema/accounts.ts'
import { deployKeys } from '../../db/schema/deploy-keys.ts'
import { games } from '../../db/schema/games/games.ts'
import { oauthAccessTokens, oauthClientAssertions, oauthRefreshTokens } from '../../db/schema/oauth.ts'
import { publishers } from '../../db/schema/publishers.ts'
import type { Page, Paged } from '../../lib/paging.ts'

export type UserRow = typeof users.$inferSelect
export type PlayerKeyRow = typeof playerKeys.$inferSelect

/** How the library names the account's own password. */
const PASSWORD = 'credential'

const userByUid = buildOnce((db) =>
  db
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder('uid')))
    .prepare('user_by_uid'),
)

export async function findUser(db: Db, uid: string): Promise<UserRow | undefined> {
  return await one(userByUid(db).execute({ uid }))
}

/** Serialises changes that count against a limit per account, until the transaction ends. */
export async function lockUser(tx: Transaction, uid: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, uid)).for('no key update')
}

export async function findUserByName(db: Db, username: string): Promise<UserRow | undefined> {
  return await one(db.select().from(users).where(eq(users.username, username)))
}

/** Holds the lock of the name until the transaction ends, so that an available name stays available. */
export async function lockName(
  db: Db,
  kind: 'username' | 'email' | 'invitations',
  name: string,
): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(${LOCKS[kind]}, hashtext(${name}))`)
}

export async function isUsernameTaken(db: Db, username: string): Promise<boolean> {
  return await hasRows(db.select({ id: users.id }).from(users).where(eq(users.username, username)))
}

export async function isEmailTaken(db: Db, email: string): Promise<boolean> {
  return await hasRows(db.select({ id: users.id }).from(users).where(eq(users.email, email)))
}

export async function confirmDemoUser(
  db: Db,
  email: string,
  facts: Pick<UserRow, 'developerMode' | 'operator'>,
): Promise<void> {
  await db
    .update(users)
    .set({ emailVerified: true, ...facts })
    .where(eq(users.email, email))
}

export async function deleteSessions(db: Db, userUid: string, except?: string): Promise<void> {
  await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userUid), except === undefined ? undefined : ne(sessions.id, except)))
}

/** Blocks the end of the session until this transaction ends. */
export async function lockSession(tx: Db, uid: string): Promise<boolean> {
  return await hasRows(
    tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, uid)).for('key share'),
  )
}

export async function updateUser(
  db: Db,
  uid: string,
  values: {
    [
      Name in
        | 'username'
        | 'displayName'
        | 'nameSkeleton'
        | 'developerMode'
        | 'adultContent'
        | 'hiddenTags'
        | 'followLibrary'
    ]?: UserRow[Name] | undefined
  },
): Promise<UserRow | undefined> {
  return await one(
    db
      .update(users)
      .set({ ...values, updatedAt: new Date() })
      .where(eq(users.id, uid))
      .returning(),
  )
}

export async function listPlayerKeys(db: Db, userUid: string, page: Page): Promise<Paged<PlayerKeyRow>> {
  const newest = db
    .select()
    .from(playerKeys)
    .where(eq(playerKeys.userUid, userUid))
    .orderBy(desc(playerKeys.uid))
  return await pageOf(newest, countPlayerKeys(db, userUid), page)
}

export async function countPlayerKeys(db: Db, userUid: string): Promise<number> {
  return await db.$count(playerKeys, eq(playerKeys.userUid, userUid))
}

export async function insertPlayerKey(db: Db, values: typeof playerKeys.$inferInsert): Promise<PlayerKeyRow> {
  return await inserted(db.insert(playerKeys).values(values).returning())
}

/** Returns how many there were. */
export async function deletePlayerKeys(db: Db, userUid: string): Promise<number> {
  return await countChanged(db.delete(playerKeys).where(eq(playerKeys.userUid, userUid)))
}

/** Returns false when the account has no such key. */
export async function deletePlayerKey(db: Db, userUid: string, uid: string): Promise<boolean> {
  return await changed(
    db.delete(playerKeys).where(and(eq(playerKeys.uid, uid), eq(playerKeys.userUid, userUid))),
  )
}

export async function findPlayerKeyByHash(db: Db, keyHash: string) {
  return await one(
    db
      .select({
        uid: playerKeys.uid,
        userUid: users.id,
        scopes: playerKeys.scopes,
        adultContent: users.adultContent,
        hiddenTags: users.hiddenTags,
      })
      .from(playerKeys)
      .innerJoin(users, eq(users.id, playerKeys.userUid))
      .where(and(eq(playerKeys.keyHash, keyHash), isNull(users.suspendedAt))),
  )
}

/** Writes at most once a minute per key, however often it is used. */
export async function touchPlayerKey(db: Db, uid: string): Promise<void> {
  await db
    .update(playerKeys)
    .set({ lastUsedAt: new Date() })
    .where(
      and(
        eq(playerKeys.uid, uid),
        sql`(${playerKeys.lastUsedAt} is null or ${playerKeys.lastUsedAt} < now() - interval '1 minute')`,
      ),
    )
}

/** A key counts as suspended while the owner of the game or the person who issued it is suspended. */
export async function findDeployKey(db: Db, accessToken: string) {
  const involved = or(eq(users.id, games.ownerUid), eq(users.id, deployKeys.issuedBy))
  return await one(
    db
      .select({
        ...getTableColumns(deployKeys),
        ownerUid: games.ownerUid,
        suspended: sql<boolean>`exists (
        select 1 from ${users} where ${involved} and ${users.suspendedAt} is not null)`,
      })
      .from(deployKeys)
      .innerJoin(games, eq(games.uid, deployKeys.gameUid))
      .where(eq(deployKeys.accessToken, accessToken)),
  )
}

/** Keys revoked earlier keep their date. Also removes the trusted publishers that the account added. */
export async function revokeIssuedKeys(db: Db, userUid: string): Promise<void> {
  await db.delete(publishers).where(eq(publishers.addedBy, userUid))
  await db
    .update(deployKeys)
    .set({ revokedAt: new Date() })
    .where(and(eq(deployKeys.issuedBy, userUid), isNull(deployKeys.revokedAt)))
}

/** Removes all providers that sign in to the account; the password stays. */
export async function deleteProviders(db: Db, userUid: string): Promise<void> {
  await db.delete(accounts).where(and(eq(accounts.userId, userUid), ne(accounts.providerId, PASSWORD)))
}

export async function deleteExpiredCredentials(db: Db, now: Date): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, now))
  await db.delete(verifications).where(lt(verifications.expiresAt, now))
  await db.delete(emailConfirmations).where(lt(emailConfirmations.expiresAt, now))
  await db.delete(oauthAccessTokens).where(lt(oauthAccessTokens.expiresAt, now))
  await db.delete(oauthRefreshTokens).where(lt(oauthRefreshTokens.expiresAt, now))
  await db.delete(oauthClientAssertions).where(lt(oauthClientAssertions.expiresAt, now))
}

/** Returns false for a session that has ended. */
export async function setConfirmed(db: Db, sessionUid: string, at: Date): Promise<boolean> {
  return await changed(db.update(sessions).set({ confirmedAt: at }).where(eq(sessions.id, sessionUid)))
}

export async function hasPassword(db: Db, userUid: string): Promise<boolean> {
  const isOwn = and(eq(accounts.userId, userUid), eq(accounts.providerId, PASSWORD))
  return (await db.$count(accounts, and(isOwn, isNotNull(accounts.password)))) > 0
}

const OPERATOR = {
  uid: users.id,
  email: users.email,
  username: users.username,
  emailVerified: users.emailVerified,
}

export async function listOperators(db: Db) {
  return await db.select(OPERATOR).from(users).where(eq(users.operator, true)).orderBy(asc(users.email))
}

export async function listConfirmedAddresses(db: Db, named: readonly string[]): Promise<string[]> {
  const isNamed = or(eq(users.operator, true), anyOf(users.email, named))
  const rows = await db
    .select({ email: users.email })
    .from(users)
    .where(and(isNamed, eq(users.emailVerified, true), isNull(users.suspendedAt)))
    .orderBy(asc(users.email))
  return rows.map(({ email }) => email)
}

export async function updateOperator(db: Db, email: string, operator: boolean) {
  return await one(db.update(users).set({ operator }).where(eq(users.email, email)).returning(OPERATOR))
}

export async function confirmOperator(db: Db, email: string) {
  const values = { operator: true, emailVerified: true }
  return await one(db.update(users).set(values).where(eq(users.email, email)).returning(OPERATOR))
}

/** Returns whether that changed anything. */
export async function suspendUser(db: Db, uid: string, reason: string | null): Promise<boolean> {
  return await changed(
    db
      .update(users)
      .set({ suspendedAt: new Date(), suspendedReason: reason })
      .where(and(eq(users.id, uid), isNull(users.suspendedAt))),
  )
}

/** Returns whether that changed anything. */
export async function restoreUser(db: Db, uid: string): Promise<boolean> {
  return await changed(
    db
      .update(users)
      .set({ suspendedAt: null, suspendedReason: null })
      .where(and(eq(users.id, uid), isNotNull(users.suspendedAt))),
  )
}

export async function isSuspended(db: Db, uid: string): Promise<boolean> {
  return (await db.$count(users, and(eq(users.id, uid), isNotNull(users.suspendedAt)))) > 0
}

/** The providers that sign in to the account, and since when. */
export async function listConnections(db: Db, userUid: string): Promise<Map<string, Date>> {
  const rows = await db
    .select({ providerId: accounts.providerId, createdAt: accounts.createdAt })
    .from(accounts)
    .where(and(eq(accounts.userId, userUid), ne(accounts.providerId, PASSWORD)))
    .orderBy(accounts.createdAt)
  return new Map(rows.map(({ providerId, createdAt }) => [providerId, createdAt]))
}

export async function deleteConnection(tx: Transaction, userUid: string, provider: string): Promise<boolean> {
  return await changed(
    tx
      .delete(accounts)
      .where(
        and(
          eq(accounts.userId, userUid),
          eq(accounts.providerId, provider),
          ne(accounts.providerId, PASSWORD),
        ),
      ),
  )
}

/** Counts the password and the providers. */
export async function countSignIns(db: Db, userUid: string): Promise<number> {
  return await db.$count(accounts, eq(accounts.userId, userUid))
}
