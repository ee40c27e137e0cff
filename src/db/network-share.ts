import { type SQL, sql } from 'drizzle-orm'

/** So many networks entitle each of them to one device. */
const NETWORKS_PER_DEVICE = 100

/** Devices whose network is not known count one by one; by a hash, because grouping by texts is slow. */
export const byNetwork = sql.raw('network, case when network is null then hashtextextended(device_id, 0) end')

/**
 * Takes rows with `network` and `devices`, one for each network, and adds `weight`: how many devices the network counts
 * for. Nobody's made-up devices outweigh those of others: a network counts up to its share, and the largest one beyond
 * it not at all. One that is not on the internet (negative) counts in full while it is the only one.
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
