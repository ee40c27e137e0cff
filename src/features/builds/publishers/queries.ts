import { and, asc, eq, getTableColumns, isNull, lt, ne, sql } from 'drizzle-orm'

import { changed, type Db, inserted, one, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { deployKeys } from '../../../db/schema/deploy-keys.ts'
import { gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { publishers, usedPipelineTokens } from '../../../db/schema/publishers.ts'
import { isUid } from '../../../lib/ids.ts'

export type PublisherRow = typeof publishers.$inferSelect
type NewPublisher = typeof publishers.$inferInsert
type RepositoryIds = Pick<PublisherRow, 'repositoryId' | 'repositoryOwnerId'>
export type ShownPublisher = Awaited<ReturnType<typeof listPublishers>>[number]

export async function listPublishers(db: Db, gameUid: string) {
  return await db
    .select({
      ...getTableColumns(publishers),
      addedByName: users.username,
      /** The person who added it is suspended, or is not owner or admin of the listing any more. */
      isOrphaned: sql<boolean>`${users.id} is not null and (${users.suspendedAt} is not null
        or ${and(ne(games.ownerUid, users.id), isNull(gameAdmins.acceptedAt))})`,
    })
    .from(publishers)
    .innerJoin(games, eq(games.uid, publishers.gameUid))
    .leftJoin(users, eq(users.id, publishers.addedBy))
    .leftJoin(gameAdmins, and(eq(gameAdmins.gameUid, games.uid), eq(gameAdmins.userUid, users.id)))
    .where(eq(publishers.gameUid, gameUid))
    .orderBy(asc(publishers.uid))
}

export async function insertPublisher(tx: Transaction, values: NewPublisher): Promise<PublisherRow> {
  return await inserted(tx.insert(publishers).values(values).returning())
}

/** Returns it with the keys that it got revoked; undefined if the game has no such publisher. */
export async function deletePublisher(
  tx: Transaction,
  gameUid: string,
  uid: string,
): Promise<PublisherRow | undefined> {
  const isOne = and(eq(publishers.uid, uid), eq(publishers.gameUid, gameUid))
  const [row] = await tx.select().from(publishers).where(isOne).for('update')
  if (!row) return undefined
  await tx
    .update(deployKeys)
    .set({ revokedAt: new Date() })
    .where(and(eq(deployKeys.publisherUid, uid), isNull(deployKeys.revokedAt)))
  await tx.delete(publishers).where(isOne)
  return row
}

/**
 * Locks the publisher, so that it is not removed before its new key exists. Records ids that are still
 * missing.
 */
export async function usePublisher(
  tx: Transaction,
  uid: string,
  { repositoryId, repositoryOwnerId }: RepositoryIds,
): Promise<PublisherRow | undefined> {
  return await one(
    tx
      .update(publishers)
      .set({
        lastUsedAt: new Date(),
        repositoryId: sql`coalesce(${publishers.repositoryId}, ${repositoryId}::text)`,
        repositoryOwnerId: sql`coalesce(${publishers.repositoryOwnerId}, ${repositoryOwnerId}::text)`,
      })
      .where(eq(publishers.uid, uid))
      .returning(),
  )
}

export async function forgetIds(tx: Transaction, uid: string): Promise<void> {
  await tx
    .update(publishers)
    .set({ repositoryId: null, repositoryOwnerId: null })
    .where(eq(publishers.uid, uid))
}

export async function setKeysAllowed(tx: Transaction, gameUid: string, keysAllowed: boolean): Promise<void> {
  await tx.update(games).set({ keysAllowed }).where(eq(games.uid, gameUid))
}

/** `ref` is a uid or a vanity name. */
export async function findGameUid(db: Db, ref: string): Promise<string | undefined> {
  const [row] = await db
    .select({ uid: games.uid })
    .from(games)
    .where(isUid(ref) ? eq(games.uid, ref) : eq(games.vanityName, ref))
  return row?.uid
}

/** Returns false if the token was used before, in any process. */
export async function markTokenUsed(tx: Transaction, digest: string, expiresAt: Date): Promise<boolean> {
  return await changed(tx.insert(usedPipelineTokens).values({ digest, expiresAt }).onConflictDoNothing())
}

export async function deleteEndedTokens(db: Db, now: Date): Promise<void> {
  await db.delete(usedPipelineTokens).where(lt(usedPipelineTokens.expiresAt, now))
}

/** Deletes expired keys of trusted publishers; files that they uploaded keep their recorded origin. */
export async function deleteEndedKeys(db: Db, before: Date): Promise<void> {
  await db.delete(deployKeys).where(lt(deployKeys.expiresAt, before))
}
