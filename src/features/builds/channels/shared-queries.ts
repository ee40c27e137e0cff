import { and, eq, or, type SQL, sql } from 'drizzle-orm'

import { isMainApp } from '../../../db/build-conditions.ts'
import { anyOf, type Db } from '../../../db/client.ts'
import { apps, builds, channelPointers, files } from '../../../db/schema/builds.ts'
import { games } from '../../../db/schema/games/games.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import type { ScanState } from '../../../domain/builds/files.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../domain/listings/web-player.ts'

export interface StableFacts {
  /** Systems with a clean file of the main app. */
  platforms: OperatingSystem[]
  /** Whether one of those files can be opened by a browser. */
  isPlayable: boolean
  /** Whether its developers made it for phones. */
  isForPhones: boolean
  /** The best state among files that are on stable or registered for it. */
  scan: ScanState
}

export const isPointedAt = and(
  eq(channelPointers.buildUid, files.buildUid),
  eq(channelPointers.channel, STABLE),
)

/** From best to worst. */
const SCAN_ORDER: readonly ScanState[] = ['clean', 'scanning', 'error', 'infected']

const isShown = sql`${files.scan} = 'clean' and ${channelPointers.buildUid} is not null and ${apps.uid} is not null`
const scanOrder = sql`${sql.param([...SCAN_ORDER])}::text[]`

const facts = {
  platforms: sql`coalesce(array_agg(distinct ${builds.os}) filter (where ${isShown}), '{}')`,
  isPlayable: sql`bool_or(${isShown} and ${builds.os} = 'web' and ${files.entryPage} is not null)`,
  isForPhones: sql`bool_and(coalesce((${games.webPlayer} ->> 'mobile')::boolean, ${WEB_PLAYER_DEFAULTS.mobile}))`,
  scan: sql`(${scanOrder})[min(array_position(${scanOrder}, ${files.scan}))]`,
} satisfies Record<keyof StableFacts, SQL>

/** Those of the listings `gameUids`; listings without files on stable or registered for it are left out. */
export function selectStableFacts(db: Db) {
  const { platforms, isPlayable, isForPhones, scan } = facts
  return db
    .select({
      gameUid: files.gameUid,
      facts: sql<StableFacts>`json_build_object('platforms', ${platforms}, 'isPlayable', ${isPlayable},
        'isForPhones', ${isForPhones}, 'scan', ${scan})`.as('facts'),
    })
    .from(files)
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .innerJoin(games, eq(games.uid, files.gameUid))
    .leftJoin(channelPointers, isPointedAt)
    .leftJoin(apps, isMainApp(builds.appUid))
    .where(
      and(
        anyOf(files.gameUid, sql.placeholder('gameUids')),
        or(eq(builds.channel, STABLE), eq(channelPointers.channel, STABLE)),
      ),
    )
    .groupBy(files.gameUid)
}
