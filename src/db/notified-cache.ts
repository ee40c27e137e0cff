import { BoundedCache } from '../lib/bounded-cache.ts'
import type { DatabaseHandle, Db } from './client.ts'
import { notify } from './notify.ts'

export interface NotifiedCache<Value> {
  /** Returns the cached value, or the result of `load`. Null is not cached. */
  get(key: string, load: () => Promise<Value | null>): Promise<Value | null>
  /** Pass the transaction of the change: every process invalidates the key when it commits. */
  forget(db: Db, key: string): Promise<void>
}

/**
 * A small cache that is invalidated across processes by NOTIFY. While notifications may be missing it is
 * cleared every second, so a lost one causes stale values for seconds only.
 */
export async function createNotifiedCache<Value extends object>(
  database: DatabaseHandle,
  channel: string,
  maxEntries: number,
): Promise<NotifiedCache<Value>> {
  const entries = new BoundedCache<Value>({ maxEntries })
  await database.listen(
    channel,
    (key) => entries.delete(key),
    () => entries.clear(),
  )

  return {
    async get(key, load) {
      const known = entries.get(key)
      if (known !== undefined) return known
      const store = entries.beginRead()
      const value = await load()
      if (value !== null) store(key, value)
      return value
    },
    async forget(db, key) {
      entries.delete(key)
      await notify(db, channel, key)
    },
  }
}
