import { and, eq } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { apps, builds, files, scanEvents } from '../db/schema/builds.ts'
import { pageReports } from '../db/schema/page-reports.ts'
import { MAIN_APP } from '../domain/builds/channels.ts'

export type ReportValues = typeof pageReports.$inferInsert

/** Returns whether it was new: everyone reports a page once. */
export async function insertReport(tx: Transaction, values: ReportValues): Promise<boolean> {
  const { gameUid, userUid } = values
  const same = and(eq(pageReports.gameUid, gameUid), eq(pageReports.userUid, userUid))
  if ((await tx.$count(pageReports, same)) > 0) return false
  await tx.insert(pageReports).values(values)
  return true
}

export async function findMainApp(db: Db, gameUid: string): Promise<string | undefined> {
  const [row] = await db
    .select({ uid: apps.uid })
    .from(apps)
    .where(and(eq(apps.gameUid, gameUid), eq(apps.slug, MAIN_APP)))
  return row?.uid
}

export interface RefusedBuild {
  build: typeof builds.$inferInsert
  file: typeof files.$inferInsert & { uid: string; uploadedAt: Date; scannedAt: Date }
}

/** Inserts a build whose file was scanned and refused; does nothing if the build exists. */
export async function insertRefusedBuild(tx: Transaction, { build, file }: RefusedBuild): Promise<void> {
  const made = await tx.insert(builds).values(build).onConflictDoNothing().returning({ uid: builds.uid })
  if (made.length === 0) return
  await tx.insert(files).values(file)
  const { uid: fileUid, uploadedAt, scannedAt, scanEngine: engine, scanDetail: detail } = file
  await tx.insert(scanEvents).values([
    { fileUid, createdAt: uploadedAt, state: 'scanning' },
    { fileUid, createdAt: scannedAt, state: 'infected', engine, detail },
  ])
}
