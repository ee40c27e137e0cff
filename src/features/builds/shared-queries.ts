import { and, eq, getTableColumns } from 'drizzle-orm'

import type { Db, Transaction } from '../../db/client.ts'
import { apps, builds } from '../../db/schema/builds.ts'
import { lockGameRow, type LockStrength } from '../games/shared-queries.ts'

export type BuildRow = NonNullable<Awaited<ReturnType<typeof findBuild>>>

/** Builds with their app. */
export const buildColumns = { ...getTableColumns(builds), app: apps.slug, appName: apps.name }

export const selectBuilds = (db: Db) =>
  db.select(buildColumns).from(builds).innerJoin(apps, eq(apps.uid, builds.appUid))

export async function findBuild(db: Db, uid: string) {
  const [row] = await selectBuilds(db).where(eq(builds.uid, uid))
  return row
}

/**
 * Locks a build of the game until the transaction ends; false when it is gone. The game first, as everyone else locks
 * them, so that no two transactions wait for each other.
 */
export async function lockBuildRow(
  tx: Transaction,
  gameUid: string,
  uid: string,
  strength: LockStrength,
): Promise<boolean> {
  await lockGameRow(tx, gameUid, 'key share')
  const rows = await tx
    .select({ uid: builds.uid })
    .from(builds)
    .where(and(eq(builds.uid, uid), eq(builds.gameUid, gameUid)))
    .for(strength)
  return rows.length > 0
}
