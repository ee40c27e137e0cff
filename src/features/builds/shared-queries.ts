import { and, eq, getTableColumns } from 'drizzle-orm'

import { type Db, hasRows, one, type Transaction } from '../../db/client.ts'
import { apps, builds } from '../../db/schema/builds.ts'
import { lockGameRow, type LockStrength } from '../games/shared-queries.ts'

export type BuildRow = NonNullable<Awaited<ReturnType<typeof findBuild>>>

/** Builds with their app. */
export const buildColumns = { ...getTableColumns(builds), app: apps.slug, appName: apps.name }

export const selectBuilds = (db: Db) =>
  db.select(buildColumns).from(builds).innerJoin(apps, eq(apps.uid, builds.appUid))

export async function findBuild(db: Db, uid: string) {
  return await one(selectBuilds(db).where(eq(builds.uid, uid)))
}

/**
 * Locks a build of the game until the transaction ends; returns false if it is gone. Locks the game first, in
 * the same order as everywhere else, to avoid deadlocks.
 */
export async function lockBuildRow(
  tx: Transaction,
  gameUid: string,
  uid: string,
  strength: LockStrength,
): Promise<boolean> {
  await lockGameRow(tx, gameUid, 'key share')
  return await hasRows(
    tx
      .select({ uid: builds.uid })
      .from(builds)
      .where(and(eq(builds.uid, uid), eq(builds.gameUid, gameUid)))
      .for(strength),
  )
}
