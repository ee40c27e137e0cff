import { existsSync } from 'node:fs'

import type { ObjectStore } from '../../../clients/objects/object-store.ts'
import { openInflated, openPart, openSent, streamInOrder } from '../../../clients/objects/zip-entry.ts'
import { AppError } from '../../../errors.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { placeOf, type PlayedEntry, sentBytes } from './directory.ts'
import type { KeptEntries } from './kept-entries.ts'

/** Entries kept in memory: the largest size of one, and of all in a process. */
const ENTRY_BYTES_MAX = 256 * 1024
const CACHE_BYTES = 32 * 1024 ** 2

export type Body = Blob | ReadableStream<Uint8Array>

/** Reads the bytes of entries. */
export interface EntryBytes {
  /** In the form in which they are sent. */
  open(objectKey: string, entry: PlayedEntry): Body | Promise<Body>
  /** Part of an entry that is stored without compression; `end` is inclusive. */
  openPart(objectKey: string, entry: PlayedEntry, part: { start: number; end: number }): Promise<Body>
  openInflated(objectKey: string, entry: PlayedEntry): Promise<Body>
}

/** Small entries come from memory, large ones from a file if there is one, otherwise through this process. */
export function createEntryBytes(
  objects: Pick<ObjectStore, 'get' | 'localPath'>,
  kept: KeptEntries,
): EntryBytes {
  const openSmall = createSmallEntries(objects)

  /** Null if the bytes must be requested from the object store. */
  function find(objectKey: string, entry: PlayedEntry): Blob | Promise<Blob> | null {
    const small = openSmall(objectKey, entry)
    if (small) return small
    const path = entry.isDeflated ? null : objects.localPath(objectKey)
    if (path === null) return kept.find(objectKey, entry)
    if (!existsSync(path)) throw new AppError('not_found')
    return Bun.file(path).slice(entry.dataAt, entry.dataAt + entry.packed)
  }

  return {
    open(objectKey, entry) {
      const found = find(objectKey, entry)
      if (found) return found
      kept.keep(objectKey, entry)
      return openSent(objects, objectKey, entry).then(streamInOrder)
    },
    async openPart(objectKey, entry, part) {
      const whole = await find(objectKey, entry)
      if (whole) return whole.slice(part.start, part.end + 1)
      return streamInOrder(await openPart(objects, objectKey, entry, part))
    },
    openInflated: (objectKey, entry) => openInflated(objects, objectKey, entry),
  }
}

/** Null for entries that are too large. */
type OpenSmall = (objectKey: string, entry: PlayedEntry) => Blob | Promise<Blob> | null

/**
 * Most requests are for small files, which are cheaper to keep than to read. The bytes of an object never
 * change.
 */
function createSmallEntries(objects: Pick<ObjectStore, 'get'>): OpenSmall {
  const cached = new BoundedCache<Blob>({ maxBytes: CACHE_BYTES, bytesOf: ({ size }) => size })

  async function read(objectKey: string, entry: PlayedEntry): Promise<Blob> {
    const pieces = await Array.fromAsync(await openSent(objects, objectKey, entry))
    return new Blob([Buffer.concat(pieces)])
  }

  return (objectKey, entry) =>
    sentBytes(entry) > ENTRY_BYTES_MAX
      ? null
      : cached.load(placeOf(objectKey, entry), () => read(objectKey, entry))
}
