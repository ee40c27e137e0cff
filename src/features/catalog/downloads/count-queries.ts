import { sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { downloadEvents } from '../../../db/schema/downloads.ts'
import type { DownloadSource } from '../../../domain/files.ts'
import type { Page } from '../../../lib/paging.ts'

export interface CountRow {
  day: string
  source: DownloadSource
  client: string
  country: string | null
  outcome: number
  count: number
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
