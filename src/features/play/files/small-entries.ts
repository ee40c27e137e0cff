import type { ObjectStore } from '../../../clients/object-store/object-store.ts'
import { openSent } from '../../../clients/object-store/zip-entry.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { placeOf, type PlayedEntry, sentBytes } from './directory.ts'

/** The largest entry that is kept in memory, and all of them together in a process. */
const ENTRY_BYTES_MAX = 256 * 1024
const CACHE_BYTES = 32 * 1024 ** 2

/** Null for entries that are too large. */
export type OpenSmall = (objectKey: string, entry: PlayedEntry) => Blob | Promise<Blob> | null

/** Most requests are for small files, whose bytes cost less than reading them. The bytes of an object never change. */
export function createSmallEntries(store: Pick<ObjectStore, 'get'>): OpenSmall {
  const cached = new BoundedCache<Blob>({ maxBytes: CACHE_BYTES, bytesOf: ({ size }) => size })

  async function read(objectKey: string, entry: PlayedEntry): Promise<Blob> {
    const pieces = await Array.fromAsync(await openSent(store, objectKey, entry))
    return new Blob([Buffer.concat(pieces)])
  }

  return (objectKey, entry) =>
    sentBytes(entry) > ENTRY_BYTES_MAX
      ? null
      : cached.load(placeOf(objectKey, entry), () => read(objectKey, entry))
}
