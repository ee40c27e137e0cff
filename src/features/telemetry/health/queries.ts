import { and, asc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'

import { isMainApp } from '../../../db/build-conditions.ts'
import { anyOf, buildOnce, changed, type Db, one, unnest } from '../../../db/client.ts'
import { byNetwork, weighNetworks } from '../../../db/network-share.ts'
import { apps, builds, channelPointers } from '../../../db/schema/builds.ts'
import {
  buildHealth,
  gameBoots,
  launchDevices,
  launchSessions,
  sessionLengths,
} from '../../../db/schema/telemetry.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { DEVICES_MIN, NETWORK_PART } from './model.ts'
import { selectStableBands } from './shared-queries.ts'

export type HealthRow = typeof buildHealth.$inferSelect

const crashedBeforeBoot = sql`crash_at is not null and (boot_at is null or crash_at < boot_at)`
const lastedSeconds = sql`round(extract(epoch from last_at - first_at))::int`

export async function findGameOfBuild(db: Db, buildUid: string) {
  return await one(
    db
      .select({ gameUid: builds.gameUid, isMain: isNotNull(apps.uid).mapWith(Boolean) })
      .from(builds)
      .leftJoin(apps, isMainApp(builds.appUid))
      .where(eq(builds.uid, buildUid)),
  )
}

export async function findHealth(db: Db, buildUid: string): Promise<HealthRow | undefined> {
  return await one(db.select().from(buildHealth).where(eq(buildHealth.buildUid, buildUid)))
}

export async function listHealth(db: Db, buildUids: readonly string[]): Promise<HealthRow[]> {
  return await db.select().from(buildHealth).where(anyOf(buildHealth.buildUid, buildUids))
}

/** The median over aggregated and open sessions; between the middle two if their number is even. */
export async function findMedianSession(db: Db, buildUid: string): Promise<number | null> {
  const [row] = await db.execute<{ median: number | null }>(sql`
    with lengths as (
      select seconds, count from ${sessionLengths} where build_uid = ${buildUid}
      union all
      select ${lastedSeconds}, 1 from ${launchSessions} where build_uid = ${buildUid} and first_at is not null
    ),
    ranked as (
      select seconds, sum(sum(count)) over (order by seconds) as up_to, sum(sum(count)) over () as total
      from lengths group by seconds
    )
    select round((min(seconds) filter (where up_to * 2 >= total) + min(seconds) filter (where up_to * 2 > total)) / 2.0)::int
      as median
    from ranked`)
  return row?.median ?? null
}

/** Returns false when a later rating is already stored, which stays. */
export async function storeHealth(db: Db, values: HealthRow): Promise<boolean> {
  return await changed(
    db
      .insert(buildHealth)
      .values(values)
      .onConflictDoUpdate({
        target: buildHealth.buildUid,
        set: values,
        setWhere: lte(buildHealth.judgedAt, values.judgedAt),
      }),
  )
}

export async function storeFirstBoot(db: Db, gameUid: string, firstAt: Date): Promise<void> {
  await db
    .insert(gameBoots)
    .values({ gameUid, firstAt })
    .onConflictDoUpdate({
      target: gameBoots.gameUid,
      set: { firstAt: sql`excluded.first_at` },
      setWhere: gt(gameBoots.firstAt, firstAt),
    })
}

/** The bands of the main app's builds that stable points at. */
export async function listStableBands(db: Db, gameUids: readonly string[]) {
  return await stableBands(db).execute({ gameUids })
}

const stableBands = buildOnce((db) => selectStableBands(db).prepare('stable_bands'))

export async function listPlatformBands(db: Db, gameUid: string) {
  return await db
    .select({
      os: builds.os,
      arch: builds.arch,
      version: builds.version,
      band: buildHealth.band,
      judgedAt: buildHealth.judgedAt,
    })
    .from(channelPointers)
    .innerJoin(apps, isMainApp(channelPointers.appUid))
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .leftJoin(buildHealth, eq(buildHealth.buildUid, channelPointers.buildUid))
    .where(and(eq(channelPointers.gameUid, gameUid), eq(channelPointers.channel, STABLE)))
    .orderBy(asc(builds.os), asc(builds.arch))
}

export async function listJudgedBuilds(db: Db, after: string, limit: number) {
  return await db
    .select({ buildUid: buildHealth.buildUid, leftOut: buildHealth.leftOut })
    .from(buildHealth)
    .where(gt(buildHealth.buildUid, after))
    .orderBy(asc(buildHealth.buildUid))
    .limit(limit)
}

/** Keeps one of a device's sessions that crashed before boot_ok. */
const isKept = sql`${crashedBeforeBoot} and not exists (
  select from ${launchSessions} as other
  where other.build_uid = session.build_uid and other.device_id = session.device_id
    and other.session_id < session.session_id
    and other.crash_at is not null and (other.boot_at is null or other.crash_at < other.boot_at))`

/** Returns how many sessions of the build it aggregated. */
export async function foldBuild(db: Db, buildUid: string, heardBefore: Date): Promise<number> {
  const [row] = await db.execute<{ folded: number }>(sql`
    with gone as (
      delete from ${launchSessions} as session
      where build_uid = ${buildUid} and heard_at < ${heardBefore.toISOString()} and not (${isKept})
      returning build_uid, first_at, last_at
    ),
    counted as (
      insert into ${sessionLengths} as known (build_uid, seconds, count)
      select build_uid, ${lastedSeconds}, count(*) from gone where first_at is not null group by 1, 2
      on conflict (build_uid, seconds) do update set count = known.count + excluded.count
    )
    select count(*)::int as folded from gone`)
  return row?.folded ?? 0
}

/**
 * Sums the devices that count, and those that do not: of each network the first ones up to its limit. Single
 * devices are read only for networks over their limit; the others are summed as a whole.
 */
export async function countDevices(db: Db, buildUid: string) {
  const networks = sql`
    select network, count(*) as devices, count(boot_at) as boot_ok, count(crashed.device_id) as crashed,
      min(boot_at) as first_boot_at
    from ${launchDevices} left join crashed using (device_id)
    where build_uid = ${buildUid}
    group by ${byNetwork}`
  const [row] = await db
    .select({
      devices: number('devices'),
      bootOk: number('boot_ok'),
      crashed: number('crashed'),
      leftOut: number('left_out'),
      sharedBootOk: number('shared_boot_ok'),
      firstBootAt: sql<Date | null>`first_boot_at`.mapWith(launchDevices.bootAt),
    })
    .from(
      sql`(
      with crashed as materialized (
        select distinct device_id from ${launchSessions} where build_uid = ${buildUid} and ${crashedBeforeBoot}
      ),
      weighed as materialized (${weighNetworks(networks)}),
      total as (select coalesce(sum(devices), 0) as heard from weighed),
      limited as materialized (
        select weighed.*, case when heard - devices < ${DEVICES_MIN} then devices
          else least(devices, div(heard - devices, ${NETWORK_PART})) end as counted
        from weighed cross join total
      ),
      ranked as (
        select boot_at, crashed.device_id as crashed_id, counted,
          row_number() over (partition by device.network order by heard_at, device.device_id) as place
        from limited join ${launchDevices} as device using (network) left join crashed using (device_id)
        where counted < devices and build_uid = ${buildUid}
      ),
      whole as (
        select coalesce(sum(counted), 0) as devices, coalesce(sum(devices - counted), 0) as left_out,
          coalesce(sum(boot_ok) filter (where counted = devices), 0) as boot_ok,
          coalesce(sum(crashed) filter (where counted = devices), 0) as crashed,
          coalesce(floor(sum(weight * boot_ok / devices::float8)), 0) as shared_boot_ok,
          min(first_boot_at) as first_boot_at
        from limited
      ),
      part as (
        select count(boot_at) as boot_ok, count(crashed_id) as crashed from ranked where place <= counted
      )
      select whole.devices, whole.left_out, whole.boot_ok + part.boot_ok as boot_ok,
        whole.crashed + part.crashed as crashed, whole.shared_boot_ok, whole.first_boot_at
      from whole cross join part
    ) as counts`,
    )
  if (!row) throw new Error('Nothing was counted')
  return row
}

const number = (column: string) => sql.raw(column).mapWith(Number)

/** Times are in milliseconds. */
export interface DeviceMark {
  buildUid: string
  deviceId: string
  bootAt: number | null
  network: string | null
}

export interface SessionMark {
  buildUid: string
  deviceId: string
  sessionId: string
  bootAt: number | null
  crashAt: number | null
  firstAt: number | null
  lastAt: number | null
}

const moment = (column: string) => sql.raw(`to_timestamp(${column} / 1000.0::float8)`)

/**
 * Skips devices whose row already has all of this, to avoid lock contention. Adds new devices while their
 * network has fewer than `perNetwork` of the build; concurrent writers may exceed it slightly.
 */
export async function upsertDevices(db: Db, marks: readonly DeviceMark[], perNetwork: number): Promise<void> {
  await db.execute(sql`
    with mark as (
      select given.build_uid, given.device_id, ${moment('boot_ms')} as boot_at, given.network,
        stored.build_uid is null as is_new, stored.boot_at as stored_boot_at,
        row_number() over (partition by given.build_uid, given.network, stored.build_uid is null) as place
      from ${unnest(marks, { buildUid: 'uuid', deviceId: 'text', bootAt: 'bigint', network: 'bigint' })}
        as given (build_uid, device_id, boot_ms, network)
      left join ${launchDevices} as stored using (build_uid, device_id)
    ),
    crowd as materialized (
      select build_uid, network, (
        select count(*) from ${launchDevices} as other
        where other.build_uid = mark.build_uid and other.network = mark.network
      ) as known
      from mark where is_new group by 1, 2
    )
    insert into ${launchDevices} as known (build_uid, device_id, boot_at, network)
    select mark.build_uid, mark.device_id, mark.boot_at, mark.network
    from mark left join crowd on crowd.build_uid = mark.build_uid and crowd.network = mark.network
    where case when is_new then place + coalesce(crowd.known, 0) <= ${perNetwork} or mark.network is null
      else mark.boot_at < coalesce(stored_boot_at, 'infinity') end
    order by 1, 2
    on conflict (build_uid, device_id) do update set boot_at = least(known.boot_at, excluded.boot_at)`)
}

/** Only sessions of recorded devices. */
export async function upsertSessions(db: Db, marks: readonly SessionMark[], heardAt: number): Promise<void> {
  await db.execute(sql`
    insert into ${launchSessions} as known
      (build_uid, device_id, session_id, boot_at, crash_at, first_at, last_at, heard_at)
    select build_uid, device_id, session_id, ${moment('boot_ms')}, ${moment('crash_ms')}, ${moment('first_ms')},
      ${moment('last_ms')}, to_timestamp(${heardAt}::float8 / 1000)
    from ${unnest(marks, {
      buildUid: 'uuid',
      deviceId: 'text',
      sessionId: 'text',
      bootAt: 'bigint',
      crashAt: 'bigint',
      firstAt: 'bigint',
      lastAt: 'bigint',
    })}
      as mark (build_uid, device_id, session_id, boot_ms, crash_ms, first_ms, last_ms)
    join ${launchDevices} as device using (build_uid, device_id)
    order by 1, 2, 3
    on conflict (build_uid, device_id, session_id) do update set
      boot_at = least(known.boot_at, excluded.boot_at),
      crash_at = least(known.crash_at, excluded.crash_at),
      first_at = least(known.first_at, excluded.first_at),
      last_at = greatest(known.last_at, excluded.last_at),
      heard_at = greatest(known.heard_at, excluded.heard_at)`)
}
