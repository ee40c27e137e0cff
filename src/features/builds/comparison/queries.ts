import { and, asc, desc, eq, sql } from 'drizzle-orm'

import { anyOf, type Db, one } from '../../../db/client.ts'
import { apps, builds, channelPointers, fileEntries, files } from '../../../db/schema/builds.ts'
import { licenses } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import { MAIN_APP, STABLE } from '../../../domain/builds/channels.ts'
import type { LicenseKind } from '../../../domain/listings/listing.ts'
import type { Page } from '../../../lib/paging.ts'
import type { BuildRow } from '../shared-queries.ts'

export interface EarlierBuild {
  uid: string
  version: string
}

/** The newest build before this one for the same app, type and platform that has a clean file. */
export async function findBuildBefore(db: Db, build: BuildRow): Promise<EarlierBuild | undefined> {
  return await one(
    db.execute<EarlierBuild & Record<string, unknown>>(sql`
    select uid, version from ${builds} as build
    where app_uid = ${build.appUid} and build_type = ${build.buildType} and os = ${build.os} and arch = ${build.arch}
      and uid < ${build.uid}
      and exists (select 1 from ${files} where build_uid = build.uid and scan = 'clean')
    order by uid desc limit 1`),
  )
}

export interface EntryDifference {
  path: string
  kind: 'added' | 'removed' | 'changed'
  /** null where the build has no such file. */
  size: number | null
  sizeBefore: number | null
}

export interface Difference {
  added: number
  removed: number
  changed: number
  /** How many files are the same. */
  same: number
  rows: EntryDifference[]
}

/** Compares the inner files of two builds by path and SHA-256, the page sorted by path. */
export async function compareEntries(
  db: Db,
  buildUid: string,
  beforeUid: string,
  page: Page,
): Promise<Difference> {
  const entriesOf = (uid: string) => sql`
    select distinct on (entry.path) entry.path, entry.size, entry.sha256
    from ${files} as file join ${fileEntries} as entry on entry.file_uid = file.uid
    where file.build_uid = ${uid} and file.scan = 'clean'
    order by entry.path, file.uid desc`
  const [answer] = await db.execute<Difference & Record<string, unknown>>(sql`
    with own as (${entriesOf(buildUid)}),
    earlier as (${entriesOf(beforeUid)}),
    compared as materialized (
      select coalesce(own.path, earlier.path) as path, own.size, earlier.size as "sizeBefore",
        case
          when earlier.path is null then 'added' when own.path is null then 'removed'
          when own.sha256 = earlier.sha256 then 'same' else 'changed'
        end as kind
      from own full join earlier on earlier.path = own.path
    ),
    page as (
      select * from compared where kind <> 'same' order by path
      limit ${page.page_size} offset ${page.offset}
    )
    select count(*) filter (where kind = 'added')::int as added,
      count(*) filter (where kind = 'removed')::int as removed,
      count(*) filter (where kind = 'changed')::int as changed,
      count(*) filter (where kind = 'same')::int as same,
      (select coalesce(json_agg(page), '[]') from page) as rows
    from compared`)
  return answer ?? { added: 0, removed: 0, changed: 0, same: 0, rows: [] }
}

export interface PackMatch {
  uid: string
  vanityName: string
  name: string
  ownerUid: string
  licenseKind: LicenseKind | null
  /** Whether the owner of the checked game has a licence for the pack. */
  isLicensed: boolean
  count: number
  paths: string[]
}

interface CheckedBuild {
  uid: string
  gameUid: string
  ownerUid: string
}

/**
 * Asset packs whose stable files share content with the build, the most overlap first. The caller's own packs are
 * included whatever their visibility, those of others only while public.
 */
export async function listPackMatches(
  db: Db,
  build: CheckedBuild,
  callerUid: string,
  pathsShown: number,
  limit: number,
): Promise<PackMatch[]> {
  // Must match the condition of the partial index on the hashes exactly.
  const isLarge = (entry: string) => sql.raw(`${entry}.size >= 1024`)
  return [
    ...(await db.execute<PackMatch & Record<string, unknown>>(sql`
      with own as (
        select entry.path, entry.sha256
        from ${files} as file join ${fileEntries} as entry on entry.file_uid = file.uid
        where file.build_uid = ${build.uid} and file.scan = 'clean' and ${isLarge('entry')}
      ),
      shared as (
        select distinct own.path, pack.uid
        from own
        join ${fileEntries} as entry on entry.sha256 = own.sha256 and ${isLarge('entry')}
        join ${files} as file on file.uid = entry.file_uid and file.scan = 'clean'
        join ${channelPointers} as pointer
          on pointer.build_uid = file.build_uid and pointer.channel = ${STABLE}
        join ${apps} as app on app.uid = pointer.app_uid and app.slug = ${MAIN_APP}
        join ${games} as pack on pack.uid = file.game_uid
        where pack.asset_type in ('game_asset', 'dev_asset') and pack.uid <> ${build.gameUid}
          and (pack.visibility = 'public' or pack.owner_uid = ${callerUid})
      ),
      matches as (
        select uid, count(*)::int as count, (array_agg(path order by path))[1:${sql.raw(String(pathsShown))}] as paths
        from shared group by uid order by 2 desc, uid limit ${limit}
      )
      select pack.uid, pack.vanity_name as "vanityName", pack.name, pack.owner_uid as "ownerUid",
        pack.license_kind as "licenseKind", matches.count, matches.paths,
        exists (
          select 1 from ${licenses} as license
          where license.game_uid = pack.uid and license.user_uid = ${build.ownerUid} and not license.pending
        ) as "isLicensed"
      from matches join ${games} as pack on pack.uid = matches.uid
      order by matches.count desc, pack.uid`)),
  ]
}

export type ParentRow = Awaited<ReturnType<typeof listParentBuilds>>[number]

/**
 * One row for each build that the channels point at, or a single row without a build. Only builds of the main app:
 * mods are made for the game itself, not for its server or tools.
 */
export async function listParentBuilds(db: Db, gameUid: string, channels: readonly string[]) {
  return await db
    .select({
      visibility: games.visibility,
      engines: games.engines,
      channel: channelPointers.channel,
      build: {
        uid: builds.uid,
        os: builds.os,
        arch: builds.arch,
        version: builds.version,
        engineVersion: builds.engineVersion,
      },
    })
    .from(games)
    .leftJoin(apps, and(eq(apps.gameUid, games.uid), eq(apps.slug, MAIN_APP)))
    .leftJoin(
      channelPointers,
      and(eq(channelPointers.appUid, apps.uid), anyOf(channelPointers.channel, channels)),
    )
    .leftJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .where(eq(games.uid, gameUid))
    .orderBy(desc(channelPointers.channel), asc(builds.os), asc(builds.arch))
}
