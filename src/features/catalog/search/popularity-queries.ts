import { and, asc, eq, gt, sql } from 'drizzle-orm'

import { isMainApp } from '../../../db/build-conditions.ts'
import { anyOf, countChanged, type Db } from '../../../db/client.ts'
import { byNetwork } from '../../../db/network-share.ts'
import { apps, builds } from '../../../db/schema/builds.ts'
import { downloadEvents } from '../../../db/schema/catalog.ts'
import { games } from '../../../db/schema/games/games.ts'
import { searchChanges } from '../../../db/schema/search.ts'
import { launchDevices, launchSessions } from '../../../db/schema/telemetry.ts'

/** However many devices one network has, and however often one program downloads in one country. */
const NETWORK_MAX = 3
const DOWNLOADER_MAX = 5
/** One percent more counts as one step, so that small changes of a popular game are not indexed. */
const STEPS = 100

export async function listPublicAfter(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ uid: games.uid })
    .from(games)
    .where(and(gt(games.uid, after), eq(games.visibility, 'public')))
    .orderBy(asc(games.uid))
    .limit(limit)
  return rows.map(({ uid }) => uid)
}

/**
 * A network counts as the square root of its devices, and so do the downloads of one program in one country, each up to
 * a bound; only devices within the store's own network are not bounded. Returns how many listings changed, which are
 * indexed again. Those that are being edited wait for the next time, so that no edit waits for this in a circle.
 */
export async function writePopularity(db: Db, uids: readonly string[], since: Date): Promise<number> {
  const start = since.toISOString()
  return await countChanged(
    db.execute(sql`
    with build as materialized (
      select ${builds.uid}, ${builds.gameUid} from ${builds} join ${apps} on ${isMainApp(builds.appUid)}
      where ${anyOf(builds.gameUid, uids)}
    ),
    device as (
      select build.game_uid, device_id, min(network) as network from (
        select build_uid, device_id, network from ${launchDevices}
        where build_uid in (select uid from build) and boot_at is not null and heard_at >= ${start}
        union all
        select build_uid, device_id, network
        from ${launchSessions} as session join ${launchDevices} as known using (build_uid, device_id)
        where build_uid in (select uid from build) and known.boot_at is not null and session.heard_at >= ${start}
      ) as heard join build on build.uid = heard.build_uid group by 1, 2
    ),
    players as (
      select game_uid,
        sum(case when network < 0 then sqrt(devices) else least(sqrt(devices), ${NETWORK_MAX}) end) as weight
      from (
        select game_uid, network, count(*)::float8 as devices from device group by game_uid, ${byNetwork}
      ) as networks group by 1
    ),
    downloads as (
      select game_uid, sum(least(sqrt(downloads), ${DOWNLOADER_MAX})) as weight from (
        select game_uid, count(*)::float8 as downloads from ${downloadEvents}
        where ${anyOf(downloadEvents.gameUid, uids)} and at >= ${start} and outcome = 200
        group by game_uid, client, country
      ) as downloaders group by 1
    ),
    weighed as (
      select game.uid, round(${STEPS} * ln(
        1 + coalesce(players.weight, 0) + coalesce(downloads.weight, 0)))::int as popularity
      from ${games} as game
      left join players on players.game_uid = game.uid
      left join downloads on downloads.game_uid = game.uid
      where game.uid = any(${sql.param([...uids])}::uuid[])
    ),
    free as materialized (
      select game.uid, weighed.popularity from ${games} as game join weighed on weighed.uid = game.uid
      where game.popularity <> weighed.popularity for no key update of game skip locked
    ),
    changed as (
      update ${games} as game set popularity = free.popularity from free where game.uid = free.uid
      returning game.uid
    )
    insert into ${searchChanges} (game_uid) select uid from changed`),
  )
}
