import { eq, inArray, notExists } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { apps, builds, fileEntries, files, scanEvents } from '../db/schema/builds.ts'
import { games } from '../db/schema/games/games.ts'
import { publishers } from '../db/schema/publishers.ts'
import type { BuildOrigin } from '../domain/builds/publishers.ts'

export type UnbuiltGame = Awaited<ReturnType<typeof listUnbuilt>>[number]

/** Lists those of these listings that have no build, with the e-mail address of their owner. */
export async function listUnbuilt(db: Db, names: readonly string[]) {
  const made = db.select({ uid: builds.uid }).from(builds).where(eq(builds.gameUid, games.uid))
  const rows = await db
    .select({
      uid: games.uid,
      vanityName: games.vanityName,
      visibility: games.visibility,
      updatedAt: games.updatedAt,
      email: users.email,
      hasNone: notExists(made).mapWith(Boolean),
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(inArray(games.vanityName, [...names]))
  return rows.filter(({ hasNone }) => hasNone)
}

export interface CleanBuild {
  app: typeof apps.$inferInsert
  build: typeof builds.$inferInsert & { uid: string }
  file: typeof files.$inferInsert & { uid: string }
  entries: Omit<typeof fileEntries.$inferInsert, 'fileUid'>[]
}

/** Inserts a build as if it had been registered, uploaded and scanned. */
export async function insertCleanBuild(tx: Transaction, { app, build, file, entries }: CleanBuild) {
  await tx.insert(apps).values(app).onConflictDoNothing()
  await tx.insert(builds).values(build)
  await tx.insert(files).values(file)
  const { uid: fileUid, uploadedAt: createdAt, scanEngine: engine } = file
  await tx.insert(scanEvents).values([
    { fileUid, createdAt, state: 'scanning' },
    { fileUid, createdAt, state: 'clean', engine },
  ])
  await tx.insert(fileEntries).values(entries.map((entry) => ({ ...entry, fileUid })))
}

/** The pipeline that these files say they are from. */
export async function insertPublisher(
  tx: Transaction,
  gameUid: string,
  { provider, issuer, repository }: BuildOrigin,
): Promise<void> {
  const conditions = { workflow: 'shelf.yml', ref: 'refs/tags/v*' }
  await tx.insert(publishers).values({ gameUid, provider, issuer, repository, ...conditions })
}
