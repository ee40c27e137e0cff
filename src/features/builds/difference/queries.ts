import { sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { builds, fileEntries, files } from '../../../db/schema/builds.ts'
import type { Page } from '../../../lib/paging.ts'
import type { BuildRow } from '../shared-queries.ts'

export interface EarlierBuild {
  uid: string
  version: string
}

/** The newest build before this one for the same app, type and platform that has a clean file. */
export async function findBuildBefore(db: Db, build: BuildRow): Promise<EarlierBuild | undefined> {
  const [row] = await db.execute<EarlierBuild & Record<string, unknown>>(sql`
    select uid, version from ${builds} as build
    where app_uid = ${build.appUid} and build_type = ${build.buildType} and os = ${build.os} and arch = ${build.arch}
      and uid < ${build.uid}
      and exists (select 1 from ${files} where build_uid = build.uid and scan = 'clean')
    order by uid desc limit 1`)
  return row
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
