import { asc, desc, eq, sql } from 'drizzle-orm'

import { type Db, one, type Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { apps, attestations, builds, files, statementKeys } from '../../../db/schema/builds.ts'

export type StatementKeyRow = typeof statementKeys.$inferSelect

/** Newest first. */
export async function listKeys(db: Db): Promise<StatementKeyRow[]> {
  return await db.select().from(statementKeys).orderBy(desc(statementKeys.createdAt), desc(statementKeys.id))
}

/** Lets only one process create a key at a time. */
export async function lockKeys(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.statementKeys})`)
}

export async function insertKey(tx: Transaction, values: typeof statementKeys.$inferInsert): Promise<void> {
  await tx.insert(statementKeys).values(values)
}

export async function findStatedFile(db: Db, uid: string) {
  return await one(
    db
      .select({ file: files, build: builds, app: apps.slug })
      .from(files)
      .innerJoin(builds, eq(builds.uid, files.buildUid))
      .innerJoin(apps, eq(apps.uid, builds.appUid))
      .where(eq(files.uid, uid)),
  )
}

/** The origin first, then the scan. */
export async function listEnvelopes(db: Db, fileUid: string): Promise<string[]> {
  const rows = await db
    .select({ envelope: attestations.envelope })
    .from(attestations)
    .where(eq(attestations.fileUid, fileUid))
    .orderBy(desc(attestations.predicateType), asc(attestations.createdAt))
  return rows.map(({ envelope }) => envelope)
}

/** A later scan replaces what was said about the file. */
export async function saveEnvelope(db: Db, values: typeof attestations.$inferInsert): Promise<void> {
  const { envelope } = values
  await db
    .insert(attestations)
    .values(values)
    .onConflictDoUpdate({
      target: [attestations.fileUid, attestations.predicateType],
      set: { envelope, createdAt: new Date() },
    })
}
