import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

import { createDiskRoom } from '../../../clients/objects/folder/folder-disk.ts'
import type { ObjectStore } from '../../../clients/objects/object-store.ts'
import { openSent } from '../../../clients/objects/zip-entry.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { placeOf, type PlayedEntry, sentBytes } from './directory.ts'

/** How many entries are copied at a time; others are copied when they are requested again. */
const COPIES_MAX = 2
/**
 * Removed files are closed with this delay, because a response opens the file a moment after it was found.
 */
const CLOSE_AFTER_MS = 2000
const COPY_RETRY_MS = 60_000
/** Copies take at most one in this many of the files that the process may open; the rest is for sockets. */
const OPEN_FILES_SHARE = 4
const OPEN_FILES_DEFAULT = 1024

interface Kept {
  file: FileHandle
  bytes: number
}

export interface KeptEntries {
  /** Null while there is no copy. */
  find(objectKey: string, entry: PlayedEntry): Blob | null
  /** Copies the entry for later requests, if there is room. */
  keep(objectKey: string, entry: PlayedEntry): void
  dispose(): Promise<void>
}

export interface KeptOptions {
  objects: Pick<ObjectStore, 'get'>
  /** Holds the temporary files, which are unlinked at once and so disappear with the process. */
  folder: string
  maxBytes: number
  /** Bytes of its disk that stay free. */
  reserve: number
  /** How many files the process may have open; by default what the system says. */
  openFilesMax?: number
  onFailure(error: unknown): void
}

/**
 * Copies of large entries on the disk, as they are sent. The system can send a whole file without passing it
 * through this process, but not an object of a bucket or a part of a zip with a gzip header and trailer.
 */
export function createKeptEntries(options: KeptOptions): KeptEntries {
  const { objects, folder, reserve, onFailure } = options
  // On other systems, all readers of a file descriptor share one position.
  const maxBytes = process.platform === 'linux' ? options.maxBytes : 0
  const { openFilesMax = readOpenFilesMax() } = options
  // Every copy is an open file, so small ones count for more: at the limit of open files the cache is full.
  const bytesEach = maxBytes / Math.max(2, Math.floor(openFilesMax / OPEN_FILES_SHARE))
  const room = createDiskRoom(folder, reserve)
  const closing = new Map<FileHandle, Timer>()
  const copying = new Set<string>()
  let pausedUntil = 0
  let isOver = false
  const kept = new BoundedCache<Kept>({
    maxBytes: Math.max(1, maxBytes),
    bytesOf: ({ bytes }) => Math.max(bytes, bytesEach),
    onRemove: ({ file }) => {
      closing.set(
        file,
        setTimeout(() => void close(file), CLOSE_AFTER_MS),
      )
    },
  })

  async function close(file: FileHandle): Promise<void> {
    clearTimeout(closing.get(file))
    closing.delete(file)
    await file.close()
  }

  async function copy(objectKey: string, entry: PlayedEntry): Promise<Kept> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await room.require(sentBytes(entry))
    const path = join(folder, randomUUID())
    const file = await open(path, 'wx+', 0o600)
    try {
      await unlink(path)
      let bytes = 0
      for await (const piece of await openSent(objects, objectKey, entry)) {
        for (let at = 0; at < piece.byteLength;) {
          at += (await file.write(piece, at, piece.byteLength - at, bytes + at)).bytesWritten
        }
        bytes += piece.byteLength
      }
      return { file, bytes }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  return {
    find(objectKey, entry) {
      const found = kept.get(placeOf(objectKey, entry))
      return found ? Bun.file(`/dev/fd/${found.file.fd}`).slice(0, found.bytes) : null
    },
    keep(objectKey, entry) {
      const place = placeOf(objectKey, entry)
      const isTooLarge = sentBytes(entry) * 2 > maxBytes
      if (isTooLarge || copying.has(place) || copying.size >= COPIES_MAX || Date.now() < pausedUntil) return
      copying.add(place)
      void copy(objectKey, entry)
        .then((copied) => (isOver ? copied.file.close() : kept.set(place, copied)))
        .catch((error: unknown) => {
          pausedUntil = Date.now() + COPY_RETRY_MS
          onFailure(error)
        })
        .finally(() => copying.delete(place))
    },
    async dispose() {
      isOver = true
      kept.clear()
      await Promise.all(Array.from(closing.keys(), close))
    },
  }
}

/** The limit of this process, as Linux shows it. */
function readOpenFilesMax(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return Number(soft ?? OPEN_FILES_DEFAULT)
  } catch {
    return OPEN_FILES_DEFAULT
  }
}
