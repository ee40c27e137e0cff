import { existsSync } from 'node:fs'

import type { ObjectStore } from '../../../clients/object-store/object-store.ts'
import { openInflated, openPart, openSent, streamInOrder } from '../../../clients/object-store/zip-entry.ts'
import { AppError } from '../../../errors.ts'
import type { PlayedEntry } from './directory.ts'
import type { KeptEntries } from './kept-entries.ts'
import { createSmallEntries } from './small-entries.ts'

export type Body = Blob | ReadableStream<Uint8Array>

/** Where the bytes of entries come from. */
export interface EntryBytes {
  /** In the form in which they are sent. */
  open(objectKey: string, entry: PlayedEntry): Body | Promise<Body>
  /** Part of an entry that is stored without compression; `end` is inclusive. */
  openPart(objectKey: string, entry: PlayedEntry, part: { start: number; end: number }): Promise<Body>
  openInflated(objectKey: string, entry: PlayedEntry): Promise<Body>
}

/** Small entries come from memory, large ones from a file where there is one, and through this process otherwise. */
export function createEntryBytes(
  store: Pick<ObjectStore, 'get' | 'localPath'>,
  kept: KeptEntries,
): EntryBytes {
  const openSmall = createSmallEntries(store)

  /** Null where the bytes have to be asked for. */
  function find(objectKey: string, entry: PlayedEntry): Blob | Promise<Blob> | null {
    const small = openSmall(objectKey, entry)
    if (small) return small
    const path = entry.isDeflated ? null : store.localPath(objectKey)
    if (path === null) return kept.find(objectKey, entry)
    if (!existsSync(path)) throw new AppError('not_found')
    return Bun.file(path).slice(entry.dataAt, entry.dataAt + entry.packed)
  }

  return {
    open(objectKey, entry) {
      const found = find(objectKey, entry)
      if (found) return found
      kept.keep(objectKey, entry)
      return openSent(store, objectKey, entry).then(streamInOrder)
    },
    async openPart(objectKey, entry, part) {
      const whole = await find(objectKey, entry)
      if (whole) return whole.slice(part.start, part.end + 1)
      return streamInOrder(await openPart(store, objectKey, entry, part))
    },
    openInflated: (objectKey, entry) => openInflated(store, objectKey, entry),
  }
}
