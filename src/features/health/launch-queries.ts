import { sql } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { launchDevices, launchSessions } from '../../db/schema/ingest.ts'

/** Times are in milliseconds. */
export interface DeviceMark {
  buildUid: string
  deviceId: string
  bootAt: number | null
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

/** Devices that are known with all that is told here are passed over, so that nobody waits for their rows. */
export async function upsertDevices(db: Db, marks: readonly DeviceMark[]): Promise<void> {
  const column = (read: (mark: DeviceMark) => unknown) => sql.param(marks.map(read))
  await db.execute(sql`
    insert into ${launchDevices} as known (build_uid, device_id, boot_at)
    select mark.* from (
      select build_uid, device_id, ${moment('boot_ms')} as boot_at
      from unnest(
        ${column(({ buildUid }) => buildUid)}::uuid[],
        ${column(({ deviceId }) => deviceId)}::text[],
        ${column(({ bootAt }) => bootAt)}::bigint[]
      ) as given (build_uid, device_id, boot_ms)
    ) as mark
    left join ${launchDevices} as stored using (build_uid, device_id)
    where stored.build_uid is null or mark.boot_at < coalesce(stored.boot_at, 'infinity')
    order by 1, 2
    on conflict (build_uid, device_id) do update set boot_at = least(known.boot_at, excluded.boot_at)`)
}

export async function upsertSessions(db: Db, marks: readonly SessionMark[], heardAt: number): Promise<void> {
  const column = (read: (mark: SessionMark) => unknown) => sql.param(marks.map(read))
  await db.execute(sql`
    insert into ${launchSessions} as known
      (build_uid, device_id, session_id, boot_at, crash_at, first_at, last_at, heard_at)
    select build_uid, device_id, session_id, ${moment('boot_ms')}, ${moment('crash_ms')}, ${moment('first_ms')},
      ${moment('last_ms')}, to_timestamp(${heardAt}::float8 / 1000)
    from unnest(
      ${column(({ buildUid }) => buildUid)}::uuid[],
      ${column(({ deviceId }) => deviceId)}::text[],
      ${column(({ sessionId }) => sessionId)}::text[],
      ${column(({ bootAt }) => bootAt)}::bigint[],
      ${column(({ crashAt }) => crashAt)}::bigint[],
      ${column(({ firstAt }) => firstAt)}::bigint[],
      ${column(({ lastAt }) => lastAt)}::bigint[]
    ) as mark (build_uid, device_id, session_id, boot_ms, crash_ms, first_ms, last_ms)
    order by 1, 2, 3
    on conflict (build_uid, device_id, session_id) do update set
      boot_at = least(known.boot_at, excluded.boot_at),
      crash_at = least(known.crash_at, excluded.crash_at),
      first_at = least(known.first_at, excluded.first_at),
      last_at = greatest(known.last_at, excluded.last_at),
      heard_at = greatest(known.heard_at, excluded.heard_at)`)
}
