import { sql } from 'drizzle-orm'

import type { DatabaseHandle, Db } from './client.ts'

export interface NotifiedCache<Value> {
  /** The cached value, or what `load` finds. Absent values are not kept. */
  get(key: string, load: () => Promise<Value | null>): Promise<Value | null>
  /** Call with the change's own transaction: every process forgets the key when it commits. */
  forget(db: Db, key: string): Promise<void>
}

/**
 * A small cache that is invalidated across processes by NOTIFY. Everything is dropped every second while notifications
 * may be missing, so that a lost one matters for seconds only.
 */
export async function createNotifiedCache<Value>(
  database: DatabaseHandle,
  channel: string,
  maxEntries: number,
): Promise<NotifiedCache<Value>> {
  const entries = new Map<string, Value>()
  let generation = 0
  const drop = (key?: string) => {
    generation += 1
    if (key === undefined) entries.clear()
    else entries.delete(key)
  }
  await database.listen(channel, drop, () => drop())

  return {
    async get(key, load) {
      const known = entries.get(key)
      if (known !== undefined) return known
      const before = generation
      const value = await load()
      // A change announced while we were reading may be newer than what we read.
      if (value !== null && before === generation) {
        if (entries.size >= maxEntries) entries.clear()
        entries.set(key, value)
      }
      return value
    },
    async forget(db, key) {
      drop(key)
      await db.execute(sql`select pg_notify(${channel}, ${key})`)
    },
  }
}
