import type { PackedEntry } from '../../../clients/objects/zip-entry.ts'
import type { Db } from '../../../db/client.ts'
import { GZIP_HEADER, GZIP_TRAILER_BYTES } from '../../../lib/bytes/gzip-frame.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import { whenReady } from '../../../lib/flow/with-timeout.ts'
import { PATH_BYTES_MAX } from '../../../lib/zip/paths.ts'
import { DEFLATED, type RecordedEntry } from '../../builds/contents/model.ts'
import { ensureContents, findRecorded, hasMoreEntries, listContents } from '../../builds/contents/service.ts'

/** Directories with more entries are not loaded: their paths are looked up one by one. */
const LOADED_MAX = 5000
/** Each load reads thousands of rows in this process. */
const LOADS_MAX = 1
/** For all directories of a process. */
const CACHE_BYTES = 48 * 1024 ** 2
/** Paths of large directories, found or not. */
const LOOKED_UP_MAX = 10_000
const NUMBERS = 5
const HASH_BYTES = 32
/** The memory of one entry: its numbers, its hash, and the place of its path in the map. */
const ENTRY_BYTES = NUMBERS * 8 + HASH_BYTES + 64
const INDEX = 'index.html'

export interface PlayedEntry extends PackedEntry {
  path: string
  sha256: string
}

/** The size of the whole entry in the form in which it is sent. */
export function sentBytes({ isDeflated, packed }: PlayedEntry): number {
  return isDeflated ? GZIP_HEADER.length + packed + GZIP_TRAILER_BYTES : packed
}

/** Names the bytes of an entry, which never change. */
export function placeOf(objectKey: string, { dataAt }: PlayedEntry): string {
  return `${objectKey} ${dataAt}`
}

interface Directory {
  readonly bytes: number
  find(path: string): PlayedEntry | null | Promise<PlayedEntry | null>
}

/** The entries of one zip, packed: objects would take three times the memory. */
class LoadedDirectory implements Directory {
  readonly bytes: number
  readonly #places = new Map<string, number>()
  readonly #numbers: Float64Array
  readonly #hashes: Uint8Array

  constructor(entries: readonly RecordedEntry[]) {
    this.#numbers = new Float64Array(entries.length * NUMBERS)
    this.#hashes = new Uint8Array(entries.length * HASH_BYTES)
    let characters = 0
    for (const [index, { path, size, packed, dataAt, crc32, method, sha256 }] of entries.entries()) {
      this.#places.set(path, index)
      this.#numbers.set([size, packed, dataAt, crc32, method], index * NUMBERS)
      this.#hashes.subarray(index * HASH_BYTES).setFromHex(sha256)
      characters += path.length
    }
    this.bytes = entries.length * ENTRY_BYTES + characters * 2
  }

  find(path: string): PlayedEntry | null {
    const index = this.#places.get(path)
    if (index === undefined) return null
    const [size = 0, packed = 0, dataAt = 0, crc32 = 0, method = 0] = this.#numbers.subarray(
      index * NUMBERS,
      (index + 1) * NUMBERS,
    )
    const sha256 = this.#hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES).toHex()
    return { path, size, packed, dataAt, crc32, isDeflated: method === DEFLATED, sha256 }
  }
}

/** Null while the places of the entries are not recorded yet. */
type ReadDirectory = (file: { uid: string; gameUid: string }) => Directory | null | Promise<Directory | null>

class NotRecorded extends Error {}

/** The bytes of a file never change, so its directory stays correct. */
export function createDirectoryReader(db: Db): ReadDirectory {
  const cached = new BoundedCache<Directory>({ maxBytes: CACHE_BYTES, bytesOf: ({ bytes }) => bytes })
  const lookedUp = new BoundedCache<{ entry: PlayedEntry | null }>({ maxEntries: LOOKED_UP_MAX })
  const loads = createSemaphore(LOADS_MAX)

  async function load(file: { uid: string; gameUid: string }): Promise<Directory> {
    if (!(await ensureContents(db, file))) throw new NotRecorded()
    if (await hasMoreEntries(db, file.uid, LOADED_MAX)) return openLarge(file.uid)
    using stack = new DisposableStack()
    stack.use(await loads.acquire())
    const entries: RecordedEntry[] = []
    for await (const batch of listContents(db, file.uid)) entries.push(...batch)
    return new LoadedDirectory(entries)
  }

  function openLarge(fileUid: string): Directory {
    const lookUp = async (path: string) => ({ entry: toPlayed(await findRecorded(db, fileUid, path)) })
    return {
      bytes: 0,
      find: (path) =>
        whenReady(
          lookedUp.load(`${fileUid} ${path}`, () => lookUp(path)),
          ({ entry }) => entry,
        ),
    }
  }

  return (file) => {
    const directory = cached.load(file.uid, () => load(file))
    if (!(directory instanceof Promise)) return directory
    return directory.catch((error: unknown) => {
      if (error instanceof NotRecorded) return null
      throw error
    })
  }
}

function toPlayed(recorded: RecordedEntry | null): PlayedEntry | null {
  if (!recorded) return null
  const { path, size, packed, dataAt, crc32, method, sha256 } = recorded
  return { path, size, packed, dataAt, crc32, isDeflated: method === DEFLATED, sha256 }
}

/** The entry name that the path of an address asks for; null if no entry can have it. */
export function parseName(pathname: string): string | null {
  // Encoded, each byte takes up to three characters.
  if (pathname.length > PATH_BYTES_MAX * 3) return null
  let path: string
  try {
    path = decodeURIComponent(pathname.slice(1))
  } catch {
    return null
  }
  if (/[\p{Cc}\\]/u.test(path) || path.split('/').some((part) => part === '..' || part === '.')) return null
  return path === '' || path.endsWith('/') ? path + INDEX : path
}

/** Exactly, then with the folder of the entry page in front. */
export function findEntry(
  directory: Directory,
  name: string,
  folder: string,
): PlayedEntry | null | Promise<PlayedEntry | null> {
  return whenReady(
    directory.find(name),
    (entry) => entry ?? (folder === '' ? null : directory.find(folder + name)),
  )
}
