import { and, asc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db } from '../../../db/client.ts'
import { isMainApp } from '../../../db/main-app.ts'
import { apps, builds } from '../../../db/schema/builds.ts'
import { channelPointers } from '../../../db/schema/channels.ts'
import { buildHealth, gameBoots, launchSessions, sessionLengths } from '../../../db/schema/ingest.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import type { HealthBand } from '../../../domain/builds/health-bands.ts'

export type HealthRow = typeof buildHealth.$inferSelect

export const crashedBeforeBoot = sql`crash_at is not null and (boot_at is null or crash_at < boot_at)`
const lastedSeconds = sql`round(extract(epoch from last_at - first_at))::int`

export async function findGameOfBuild(db: Db, buildUid: string) {
  const [row] = await db
    .select({ gameUid: builds.gameUid, isMain: isNotNull(apps.uid).mapWith(Boolean) })
    .from(builds)
    .leftJoin(apps, isMainApp(builds.appUid))
    .where(eq(builds.uid, buildUid))
  return row
}

export async function findHealth(db: Db, buildUid: string): Promise<HealthRow | undefined> {
  const [row] = await db.select().from(buildHealth).where(eq(buildHealth.buildUid, buildUid))
  return row
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
  const rows = await db
    .insert(buildHealth)
    .values(values)
    .onConflictDoUpdate({
      target: buildHealth.buildUid,
      set: values,
      setWhere: lte(buildHealth.judgedAt, values.judgedAt),
    })
    .returning({ buildUid: buildHealth.buildUid })
  return rows.length > 0
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
  return await db
    .select({
      gameUid: channelPointers.gameUid,
      bands: sql<HealthBand[]>`array_agg(distinct ${buildHealth.band})`,
    })
    .from(channelPointers)
    .innerJoin(apps, isMainApp(channelPointers.appUid))
    .innerJoin(buildHealth, eq(buildHealth.buildUid, channelPointers.buildUid))
    .where(and(anyOf(channelPointers.gameUid, gameUids), eq(channelPointers.channel, STABLE)))
    .groupBy(channelPointers.gameUid)
}

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
