import { and, asc, gt, ne, sql } from 'drizzle-orm'

import { anyOf, type Db } from '../../../db/client.ts'
import { jams } from '../../../db/schema/jams.ts'
import { noticeEvents } from '../../../db/schema/notices.ts'

export type ActiveJam = Awaited<ReturnType<typeof listActive>>[number]

/** Jams that started and are not long over, in the order of their uids, with the clock of the database. */
export async function listActive(db: Db, afterUid: string, days: number, limit: number) {
  const isRecent = sql`greatest(${jams.endsAt}, ${jams.votingEndsAt}, ${jams.publishedAt})
    > clock_timestamp() - make_interval(days => ${days})`
  return await db
    .select({
      jam: jams,
      now: sql<Date>`date_trunc('milliseconds', clock_timestamp())`.mapWith(jams.startsAt),
    })
    .from(jams)
    .where(
      and(
        gt(jams.uid, afterUid),
        ne(jams.visibility, 'draft'),
        sql`${jams.startsAt} <= clock_timestamp()`,
        isRecent,
      ),
    )
    .orderBy(asc(jams.uid))
    .limit(limit)
}

/** Those of the keys under which something was recorded. */
export async function listRecorded(db: Db, onceKeys: readonly string[]): Promise<Set<string>> {
  if (onceKeys.length === 0) return new Set()
  const rows = await db
    .select({ onceKey: noticeEvents.onceKey })
    .from(noticeEvents)
    .where(anyOf(noticeEvents.onceKey, onceKeys))
  return new Set(rows.flatMap(({ onceKey }) => onceKey ?? []))
}
