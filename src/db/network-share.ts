import { type SQL, sql } from 'drizzle-orm'

/** A network counts for at most one device per this many networks, but always for at least one. */
const NETWORKS_PER_DEVICE = 100

/** Devices of an unknown network are grouped individually, by a hash because grouping by text is slow. */
export const byNetwork = sql.raw('network, case when network is null then hashtextextended(device_id, 0) end')

/**
 * Takes one row per network with `network` and `devices`, and adds `weight`: how many devices the network
 * counts for. Each is capped at its share and the largest above the cap is dropped, so fake devices cannot
 * outweigh real ones. A single local network (negative number) counts in full.
 */
export function weighNetworks(rows: SQL): SQL {
  return sql`
    with seen as materialized (${rows}),
    total as (
      select count(*) as networks, greatest(1, count(*) / ${sql.raw(String(NETWORKS_PER_DEVICE))}) as share from seen
    ),
    largest as (
      select network from seen, total where devices > share order by devices desc, network limit 1
    )
    select seen.*, case
      when networks = 1 and seen.network < 0 then devices
      when seen.network = largest.network then 0
      else least(devices, share)
    end as weight
    from seen cross join total left join largest on true`
}
