import { and, count, desc, eq, gt, inArray, isNotNull, isNull, min, or, sql } from 'drizzle-orm'

import { type Db, hasRows, inserted, one, type Transaction } from '../../../db/client.ts'
import { isAlive } from '../../../db/locks/process-claim.ts'
import { users } from '../../../db/schema/accounts.ts'
import { files, scanEvents } from '../../../db/schema/builds.ts'
import { deployKeys } from '../../../db/schema/deploy-keys.ts'
import { games } from '../../../db/schema/games/games.ts'
import { uploadSessions } from '../../../db/schema/uploads.ts'

export type SessionRow = typeof uploadSessions.$inferSelect
type NewSession = typeof uploadSessions.$inferInsert
export type SessionRef = Pick<SessionRow, 'uid' | 'gameUid'>

/** Whether the owner may upload, and what is known of the deploy key, if one is used. */
export async function findUploader(db: Db, gameUid: string, keyUid: string | null) {
  return await one(
    db
      .select({
        emailVerified: users.emailVerified,
        suspendedAt: users.suspendedAt,
        accessToken: deployKeys.accessToken,
        origin: deployKeys.origin,
      })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .leftJoin(deployKeys, keyUid === null ? sql`false` : eq(deployKeys.uid, keyUid))
      .where(eq(games.uid, gameUid)),
  )
}

export async function findGameName(db: Db, gameUid: string) {
  return await one(
    db.select({ vanityName: games.vanityName, name: games.name }).from(games).where(eq(games.uid, gameUid)),
  )
}

/** A base file for copies: it must be clean, and its page not taken down. */
export async function findBase(db: Db, gameUid: string, fileUid: string) {
  return await one(
    db
      .select({ uid: files.uid, size: files.size, objectKey: files.objectKey })
      .from(files)
      .innerJoin(games, and(eq(games.uid, files.gameUid), isNull(games.takenDown)))
      .where(and(eq(files.uid, fileUid), eq(files.gameUid, gameUid), eq(files.scan, 'clean'))),
  )
}

/** Newest first; the limit on open sessions bounds their number. */
export async function listOpenSessions(db: Db, gameUid: string): Promise<SessionRow[]> {
  return await db
    .select()
    .from(uploadSessions)
    .where(and(eq(uploadSessions.gameUid, gameUid), isNull(uploadSessions.fileUid), isOpen()))
    .orderBy(desc(uploadSessions.uid))
}

export async function countOpenSessions(db: Db, gameUid: string) {
  const [row] = await db
    .select({ open: count(), firstExpiry: min(uploadSessions.expiresAt) })
    .from(uploadSessions)
    .where(and(eq(uploadSessions.gameUid, gameUid), isNull(uploadSessions.fileUid), isOpen()))
  return { open: row?.open ?? 0, firstExpiry: row?.firstExpiry ?? new Date() }
}

export async function insertSession(db: Db, values: NewSession): Promise<SessionRow> {
  return await inserted(db.insert(uploadSessions).values(values).returning())
}

export async function findSession(db: Db, { uid, gameUid }: SessionRef): Promise<SessionRow | undefined> {
  return await one(
    db
      .select()
      .from(uploadSessions)
      .where(and(eq(uploadSessions.uid, uid), eq(uploadSessions.gameUid, gameUid), isOpen())),
  )
}

/** Returns the session when `writer` now holds the claim: it was unclaimed, or its writer is gone. */
export async function claimSession(
  db: Db,
  { uid, gameUid }: SessionRef,
  writer: string,
): Promise<SessionRow | undefined> {
  const isFree = or(
    isNull(uploadSessions.writer),
    eq(uploadSessions.writer, writer),
    sql`not ${isAlive(uploadSessions.writer)}`,
  )
  return await one(
    db
      .update(uploadSessions)
      .set({ writer })
      .where(
        and(
          eq(uploadSessions.uid, uid),
          eq(uploadSessions.gameUid, gameUid),
          isOpen(),
          isFree,
          withoutFlush(),
        ),
      )
      .returning(),
  )
}

export async function releaseSession(db: Db, uid: string, writer: string): Promise<void> {
  await db
    .update(uploadSessions)
    .set({ writer: null })
    .where(and(eq(uploadSessions.uid, uid), eq(uploadSessions.writer, writer), withoutFlush()))
}

/** The session as it is now, unchanged by others until the transaction ends. */
export async function lockSession(tx: Transaction, uid: string): Promise<SessionRow | undefined> {
  return await one(tx.select().from(uploadSessions).where(eq(uploadSessions.uid, uid)).for('update'))
}

export async function finishSession(
  db: Db,
  uid: string,
  { uid: fileUid, checksum }: { uid: string; checksum: string },
): Promise<void> {
  await db.update(uploadSessions).set({ fileUid, checksum }).where(eq(uploadSessions.uid, uid))
}

/** Returns the deleted session; undefined when it was already deleted. */
export async function deleteSession(db: Db, uid: string): Promise<SessionRow | undefined> {
  return await one(db.delete(uploadSessions).where(eq(uploadSessions.uid, uid)).returning())
}

export async function listGamesOfOwner(db: Db, ownerUid: string): Promise<string[]> {
  const rows = await db.select({ uid: games.uid }).from(games).where(eq(games.ownerUid, ownerUid))
  return rows.map(({ uid }) => uid)
}

export async function deleteSessionsOfOwner(tx: Transaction, ownerUid: string): Promise<SessionRow[]> {
  const owned = tx.select({ uid: games.uid }).from(games).where(eq(games.ownerUid, ownerUid))
  return await tx.delete(uploadSessions).where(inArray(uploadSessions.gameUid, owned)).returning()
}

export async function isOwnerSuspended(db: Db, gameUid: string): Promise<boolean> {
  return await hasRows(
    db
      .select({ uid: games.uid })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .where(and(eq(games.uid, gameUid), isNotNull(users.suspendedAt))),
  )
}

/** A key that was deleted long after it expired counts as revoked. */
export async function isKeyRevoked(db: Db, uid: string): Promise<boolean> {
  return (await db.$count(deployKeys, and(eq(deployKeys.uid, uid), isNull(deployKeys.revokedAt)))) === 0
}

export async function insertFile(
  tx: Transaction,
  {
    keyChannels,
    ...file
  }: Omit<typeof files.$inferInsert, 'keyChannels'> & {
    uid: string
    keyChannels: readonly string[] | null
  },
): Promise<void> {
  await tx.insert(files).values({ ...file, keyChannels: keyChannels && [...keyChannels], scan: 'scanning' })
  await tx.insert(scanEvents).values({ fileUid: file.uid, state: 'scanning' })
}

/** Commits without waiting for the disk: a claim is void after a restart of the database. */
function withoutFlush() {
  return sql`set_config('synchronous_commit', 'off', true) is not null`
}

function isOpen() {
  return gt(uploadSessions.expiresAt, sql`now()`)
}
