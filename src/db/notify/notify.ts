import { sql } from 'drizzle-orm'

import type { Cache } from '../../lib/cache/cache.ts'
import type { DatabaseHandle, Db } from '../client.ts'

/** Notifies every process listening on the channel: inside a transaction on commit, otherwise immediately. */
export async function notify(db: Db, channel: string, ...payloads: readonly string[]): Promise<void> {
  await db.execute(
    sql`select pg_notify(${channel}, payload) from unnest(${sql.param([...payloads])}::text[]) as payload`,
  )
}

/** The same, and calls the listeners of this process at once. */
export async function announce(
  database: DatabaseHandle,
  db: Db,
  channel: string,
  payload: string,
): Promise<void> {
  database.deliver(channel, payload)
  await notify(db, channel, payload)
}

/**
 * Removes from the cache what belongs to each owner that is announced on the channel; everything for `all`, and when
 * announcements may have been missed.
 */
export async function invalidateOn(
  { listen }: Pick<DatabaseHandle, 'listen'>,
  channel: string,
  cache: Pick<Cache<never>, 'removeOwner' | 'clear'>,
  all?: string,
): Promise<void> {
  const clear = () => cache.clear()
  await listen(channel, (owner) => (owner === all ? clear() : cache.removeOwner(owner)), clear)
}
