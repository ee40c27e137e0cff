import { sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { apps, builds, files } from '../../../db/schema/builds.ts'
import { downloadEvents } from '../../../db/schema/downloads.ts'
import type { DownloadSource } from '../../../domain/builds/files.ts'
import type { Architecture, OperatingSystem } from '../../../domain/builds/platforms.ts'
import type { Page } from '../../../lib/paging.ts'

export interface CountRow {
  day: string
  source: DownloadSource
  client: string
  country: string | null
  outcome: number
  count: number
}

export interface VersionRow {
  buildUid: string
  app: string
  appName: string
  version: string
  os: OperatingSystem
  arch: Architecture
  channel: string
  count: number
  refused: number
}

/** Of the builds that still exist, the most downloaded first. */
export async function countByBuild(
  db: Db,
  gameUid: string,
  since: Date,
  page: Page,
): Promise<{ rows: VersionRow[]; total: number }> {
  const [answer] = await db.execute<{ rows: VersionRow[]; total: number }>(sql`
    with counts as materialized (
      select ${files.buildUid} as build_uid, count(*) filter (where ${downloadEvents.outcome} = 200)::int as count,
        count(*) filter (where ${downloadEvents.outcome} <> 200)::int as refused
      from ${downloadEvents} join ${files} on ${files.uid} = ${downloadEvents.fileUid}
      where ${downloadEvents.gameUid} = ${gameUid} and ${downloadEvents.at} >= ${since.toISOString()}
      group by 1
    ),
    page as (
      select ${builds.uid} as "buildUid", ${apps.slug} as app, ${apps.name} as "appName", ${builds.version}, ${builds.os}, ${builds.arch},
        ${builds.channel}, counts.count, counts.refused
      from counts join ${builds} on ${builds.uid} = counts.build_uid join ${apps} on ${apps.uid} = ${builds.appUid}
      order by counts.count desc, ${builds.uid} desc
      limit ${page.page_size} offset ${page.offset}
    )
    select (select count(*)::int from counts) as total,
      (select coalesce(json_agg(page), '[]') from page) as rows`)
  return answer ?? { rows: [], total: 0 }
}

/** Page and total come from one scan, because a popular game has months of events. */
export async function countEvents(
  db: Db,
  gameUid: string,
  since: Date,
  page: Page,
): Promise<{ rows: CountRow[]; total: number }> {
  const [answer] = await db.execute<{ rows: CountRow[]; total: number }>(sql`
    with counts as materialized (
      select (at at time zone 'UTC')::date::text as day, source, client, country, outcome, count(*)::int as count
      from ${downloadEvents}
      where game_uid = ${gameUid} and at >= ${since.toISOString()}
      group by 1, 2, 3, 4, 5
    ),
    page as (
      select * from counts
      order by day desc, count desc, source, client, country nulls last, outcome
      limit ${page.page_size} offset ${page.offset}
    )
    select (select count(*)::int from counts) as total,
      (select coalesce(json_agg(page), '[]') from page) as rows`)
  return answer ?? { rows: [], total: 0 }
}
