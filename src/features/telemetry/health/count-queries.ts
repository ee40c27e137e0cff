import { sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { byNetwork, weighNetworks } from '../../../db/network-share.ts'
import { launchDevices, launchSessions } from '../../../db/schema/ingest.ts'
import { DEVICES_MIN, NETWORK_PART } from './model.ts'
import { crashedBeforeBoot } from './queries.ts'

export type DeviceCounts = Awaited<ReturnType<typeof countDevices>>

/**
 * The devices that count, and how many do not: each network up to its limit, those heard first. Networks are counted
 * as a whole; only the devices of those over their limit are looked at one by one.
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
