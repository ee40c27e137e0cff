import { and, count, desc, eq, getTableColumns, isNull, lt, ne, or, sql } from 'drizzle-orm'

import { buildOnce } from '../../db/build-once.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { LOCKS } from '../../db/locks/locks.ts'
import { accounts, emailConfirmations, sessions, users, verifications } from '../../db/schema/accounts.ts'
import { deployKeys } from '../../db/schema/deploy-keys.ts'
import { games } from '../../db/schema/games/games.ts'
import { oauthAccessTokens, oauthClientAssertions, oauthRefreshTokens } from '../../db/schema/oauth.ts'
import { playerKeys } from '../../db/schema/player-keys.ts'
import { publishers } from '../../db/schema/publishers.ts'
import type { Page } from '../../lib/paging.ts'

export type UserRow = typeof users.$inferSelect
export type PlayerKeyRow = typeof playerKeys.$inferSelect

const userByUid = buildOnce((db) =>
  db
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder('uid')))
    .prepare('user_by_uid'),
)

export async function findUser(db: Db, uid: string): Promise<UserRow | undefined> {
  const [row] = await userByUid(db).execute({ uid })
  return row
}

/** Serialises whatever counts against a limit per account, until the transaction ends. */
export async function lockUser(tx: Transaction, uid: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, uid)).for('no key update')
}

export async function findUserByName(db: Db, username: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.username, username))
  return row
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
  const rows = await db.select({ id: users.id }).from(users).where(eq(users.username, username))
  return rows.length > 0
}

export async function isEmailTaken(db: Db, email: string): Promise<boolean> {
  const rows = await db.select({ id: users.id }).from(users).where(eq(users.email, email))
  return rows.length > 0
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
export async function holdSession(tx: Db, uid: string): Promise<boolean> {
  const rows = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.id, uid))
    .for('key share')
  return rows.length > 0
}

export async function updateUser(
  db: Db,
  uid: string,
  values: Partial<Pick<UserRow, 'username' | 'developerMode' | 'adultContent' | 'hiddenTags'>>,
): Promise<UserRow | undefined> {
  const [row] = await db
    .update(users)
    .set({ ...values, updatedAt: new Date() })
    .where(eq(users.id, uid))
    .returning()
  return row
}

export async function listPlayerKeys(db: Db, userUid: string, page: Page): Promise<PlayerKeyRow[]> {
  return await db
    .select()
    .from(playerKeys)
    .where(eq(playerKeys.userUid, userUid))
    .orderBy(desc(playerKeys.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countPlayerKeys(db: Db, userUid: string): Promise<number> {
  const [row] = await db.select({ count: count() }).from(playerKeys).where(eq(playerKeys.userUid, userUid))
  return row?.count ?? 0
}

export async function insertPlayerKey(db: Db, values: typeof playerKeys.$inferInsert): Promise<PlayerKeyRow> {
  const [row] = await db.insert(playerKeys).values(values).returning()
  if (!row) throw new Error('The player key was not stored')
  return row
}

/** Returns how many there were. */
export async function deletePlayerKeys(db: Db, userUid: string): Promise<number> {
  const rows = await db
    .delete(playerKeys)
    .where(eq(playerKeys.userUid, userUid))
    .returning({ uid: playerKeys.uid })
  return rows.length
}

/** Returns false when the account has no such key. */
export async function deletePlayerKey(db: Db, userUid: string, uid: string): Promise<boolean> {
  const rows = await db
    .delete(playerKeys)
    .where(and(eq(playerKeys.uid, uid), eq(playerKeys.userUid, userUid)))
    .returning({ uid: playerKeys.uid })
  return rows.length > 0
}

export async function findPlayerKeyByHash(db: Db, keyHash: string) {
  const [row] = await db
    .select({
      uid: playerKeys.uid,
      userUid: users.id,
      scopes: playerKeys.scopes,
      adultContent: users.adultContent,
      hiddenTags: users.hiddenTags,
    })
    .from(playerKeys)
    .innerJoin(users, eq(users.id, playerKeys.userUid))
    .where(and(eq(playerKeys.keyHash, keyHash), isNull(users.suspendedAt)))
  return row
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

/** Suspended while the owner of the game is, or whoever issued the key. */
export async function findDeployKey(db: Db, accessToken: string) {
  const involved = or(eq(users.id, games.ownerUid), eq(users.id, deployKeys.issuedBy))
  const [row] = await db
    .select({
      ...getTableColumns(deployKeys),
      ownerUid: games.ownerUid,
      suspended: sql<boolean>`exists (
        select 1 from ${users} where ${involved} and ${users.suspendedAt} is not null)`,
    })
    .from(deployKeys)
    .innerJoin(games, eq(games.uid, deployKeys.gameUid))
    .where(eq(deployKeys.accessToken, accessToken))
  return row
}

/** Those that were revoked before keep their date. Pipelines that the account trusted are trusted no longer. */
export async function revokeIssuedKeys(db: Db, userUid: string): Promise<void> {
  await db.delete(publishers).where(eq(publishers.addedBy, userUid))
  await db
    .update(deployKeys)
    .set({ revokedAt: new Date() })
    .where(and(eq(deployKeys.issuedBy, userUid), isNull(deployKeys.revokedAt)))
}

/** All ways to sign in by others; the password stays. */
export async function deleteProviders(db: Db, userUid: string): Promise<void> {
  await db.delete(accounts).where(and(eq(accounts.userId, userUid), ne(accounts.providerId, 'credential')))
}

export async function deleteExpiredCredentials(db: Db, now: Date): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, now))
  await db.delete(verifications).where(lt(verifications.expiresAt, now))
  await db.delete(emailConfirmations).where(lt(emailConfirmations.expiresAt, now))
  await db.delete(oauthAccessTokens).where(lt(oauthAccessTokens.expiresAt, now))
  await db.delete(oauthRefreshTokens).where(lt(oauthRefreshTokens.expiresAt, now))
  await db.delete(oauthClientAssertions).where(lt(oauthClientAssertions.expiresAt, now))
}
