import { and, eq, sql } from 'drizzle-orm'

import { isMainApp } from '../../../db/build-conditions.ts'
import { anyOf, type Db } from '../../../db/client.ts'
import { apps, channelPointers } from '../../../db/schema/builds.ts'
import { buildHealth } from '../../../db/schema/telemetry.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import type { HealthBand } from '../../../domain/builds/health.ts'

/** The bands of the stable builds of each of the listings `gameUids`; those without are left out. */
export function selectStableBands(db: Db) {
  return db
    .select({
      gameUid: channelPointers.gameUid,
      bands: sql<HealthBand[]>`array_agg(distinct ${buildHealth.band})`.as('bands'),
    })
    .from(channelPointers)
    .innerJoin(apps, isMainApp(channelPointers.appUid))
    .innerJoin(buildHealth, eq(buildHealth.buildUid, channelPointers.buildUid))
    .where(
      and(anyOf(channelPointers.gameUid, sql.placeholder('gameUids')), eq(channelPointers.channel, STABLE)),
    )
    .groupBy(channelPointers.gameUid)
}
