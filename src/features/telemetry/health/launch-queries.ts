import { sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { launchDevices, launchSessions } from '../../../db/schema/ingest.ts'

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
 * Skips devices whose row already has all of this, to avoid lock contention. Adds new devices while their network has
 * fewer than `perNetwork` of the build; concurrent writers may exceed it slightly.
 */
export async function upsertDevices(db: Db, marks: readonly DeviceMark[], perNetwork: number): Promise<void> {
  const column = (read: (mark: DeviceMark) => unknown) => sql.param(marks.map(read))
  await db.execute(sql`
    with mark as (
      select given.build_uid, given.device_id, ${moment('boot_ms')} as boot_at, given.network,
        stored.build_uid is null as is_new, stored.boot_at as stored_boot_at,
        row_number() over (partition by given.build_uid, given.network, stored.build_uid is null) as place
      from unnest(
        ${column(({ buildUid }) => buildUid)}::uuid[],
        ${column(({ deviceId }) => deviceId)}::text[],
        ${column(({ bootAt }) => bootAt)}::bigint[],
        ${column(({ network }) => network)}::bigint[]
      ) as given (build_uid, device_id, boot_ms, network)
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
    join ${launchDevices} as device using (build_uid, device_id)
    order by 1, 2, 3
    on conflict (build_uid, device_id, session_id) do update set
      boot_at = least(known.boot_at, excluded.boot_at),
      crash_at = least(known.crash_at, excluded.crash_at),
      first_at = least(known.first_at, excluded.first_at),
      last_at = greatest(known.last_at, excluded.last_at),
      heard_at = greatest(known.heard_at, excluded.heard_at)`)
}
