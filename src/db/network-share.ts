import { type SQL, sql } from 'drizzle-orm'

/** So many networks entitle each of them to one device. */
const NETWORKS_PER_DEVICE = 100

/** Devices whose network is not known count one by one. */
export const byNetwork = sql.raw('network, case when network is null then device_id end')

/**
 * Takes rows with `network` and `devices`, one for each network, and adds `weight`: how many devices the network counts
 * for. Nobody's made-up devices outweigh those of others: a network counts up to its share, and the largest one beyond
 * it not at all. One that is not on the internet (negative) counts in full while no other is heard of.
 */
export function weighNetworks(rows: SQL): SQL {
  return sql`
    select seen.*, case
      when networks = 1 and network < 0 then devices
      when place = 1 and devices > share then 0
      else least(devices, share)
    end as weight
    from (
      select given.*, count(*) over () as networks, row_number() over (order by devices desc, network) as place,
        greatest(1, count(*) over () / ${sql.raw(String(NETWORKS_PER_DEVICE))}) as share
      from (${rows}) as given
    ) as seen`
}
