import type { DatabaseHandle } from '../../../db/client.ts'
import { createNotifiedCache } from '../../../db/notify/notified-cache.ts'
import { type CollectionRow, listCollections } from './queries.ts'

/** Announced to every process by each change. */
export const COLLECTIONS_CHANGED = 'collections'
export const ALL_COLLECTIONS = 'all'
/** The longest a process that missed a notice shows the former ones. */
const LIFETIME_MS = 60_000

/** The collections that are shown at this moment, newest first. Their objects are the same ones until a change. */
export type ReadCollections = (now: Date) => Promise<CollectionRow[]>

/** All of them in memory: home page, search and feeds ask for them all the time. */
export async function createCollectionReader(database: DatabaseHandle): Promise<ReadCollections> {
  const cache = await createNotifiedCache<CollectionRow[]>(database, COLLECTIONS_CHANGED, {
    maxEntries: 1,
    lifetimeMs: LIFETIME_MS,
    ownersOf: () => [ALL_COLLECTIONS],
  })
  return async (now) => {
    const all = await cache.get(ALL_COLLECTIONS, () => listCollections(database.db))
    return (all ?? []).filter((collection) => isShown(collection, now))
  }
}

export function isShown({ from, until }: Pick<CollectionRow, 'from' | 'until'>, now: Date): boolean {
  return (from === null || from <= now) && (until === null || now < until)
}
