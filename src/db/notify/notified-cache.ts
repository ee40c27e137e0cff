import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import type { DatabaseHandle } from '../client.ts'

export interface NotifiedCache<Value> {
  /** Returns the cached value, or the result of `load`. Null is not cached. */
  get(key: string, load: () => Promise<Value | null>): Promise<Value | null>
}

export interface NotifiedCacheOptions<Value> {
  maxEntries: number
  lifetimeMs: number
  ownersOf: (value: Value) => readonly string[]
}

/**
 * A small cache that is invalidated across processes by announcing the owner of the changed values on its
 * channel. Nothing is served from it while notifications may be missing.
 */
export async function createNotifiedCache<Value extends object>(
  database: DatabaseHandle,
  channel: string,
  options: NotifiedCacheOptions<Value>,
): Promise<NotifiedCache<Value>> {
  const entries = new BoundedCache<Value>(options)
  await database.listen(
    channel,
    (owner) => entries.deleteOwner(owner),
    () => entries.clear(),
  )

  return {
    async get(key, load) {
      const known = database.isListening() ? entries.get(key) : undefined
      if (known !== undefined) return known
      const store = entries.beginRead()
      const value = await load()
      if (value !== null) store(key, value)
      return value
    },
  }
}
