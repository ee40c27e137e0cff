import { openObjectSource } from '../../../clients/objects/object-ranges.ts'
import type { Deps } from '../../../deps.ts'
import { type BlockReader, createBlockReader } from '../../../lib/zip/block-reader.ts'
import type { HashedBlock } from '../../../lib/zip/blocks.ts'
import { encodeContents } from '../../../lib/zip/contents.ts'
import { readDirectory, type ZipEntry } from '../../../lib/zip/directory.ts'
import { readLocalHeader } from '../../../lib/zip/local-header.ts'
import { type Contents, DEFLATED, type EntryPlace, type RecordedEntry, STORED } from './model.ts'
import * as queries from './queries.ts'
import { listContents } from './service.ts'

export interface DescribedEntry extends RecordedEntry {
  blocks?: HashedBlock[] | null
}

/** What clients need to fetch parts of the zip. Computed once, so that downloads only read it. */
export async function describeContents(
  entries: readonly DescribedEntry[],
  fileSize: number,
): Promise<Contents> {
  const encoded = await encodeContents(entries, fileSize)
  return {
    installedSize: entries.reduce((sum, { size }) => sum + size, 0),
    hasBlocks: encoded?.hasBlocks ?? false,
    document: encoded?.document ?? null,
  }
}

/** Reads the entry's header, because only it tells where the packed bytes begin. */
export async function placeEntry(reader: BlockReader, entry: ZipEntry): Promise<EntryPlace> {
  const { start } = await readLocalHeader(reader, entry)
  return {
    at: entry.offset,
    length: entry.until - entry.offset,
    method: entry.isDeflated ? DEFLATED : STORED,
    crc32: entry.crc,
    packed: entry.packedSize,
    dataAt: start,
    mode: entry.mode,
  }
}

/** Only headers are read: larger blocks would be filled with content. */
const BLOCK_SIZE = 256 * 1024

/** May run twice for one file: the places are always the same. */
export async function recordPlaces(
  { db, objects }: Pick<Deps, 'db' | 'objects'>,
  fileUid: string,
  signal: AbortSignal,
): Promise<void> {
  const file = await queries.findCleanFile(db, fileUid)
  if (!file || !(await queries.lacksPlaces(db, fileUid))) return
  const reader = createBlockReader(openObjectSource(objects, file.objectKey, file.size), BLOCK_SIZE)
  const places: Parameters<typeof queries.savePlaces>[2][number][] = []
  for (const entry of await readDirectory(reader)) {
    signal.throwIfAborted()
    if (!entry.isFolder) places.push({ path: entry.path, ...(await placeEntry(reader, entry)) })
  }
  await db.transaction((tx) => queries.savePlaces(tx, fileUid, places))
}

/** Writes the document of a file whose places are recorded. Blocks are only found by a scan. */
export async function recordDocument({ db }: Pick<Deps, 'db'>, fileUid: string): Promise<void> {
  const file = await queries.findCleanFile(db, fileUid)
  if (!file || (await queries.hasContents(db, fileUid))) return
  const entries = (await Array.fromAsync(listContents(db, fileUid))).flat()
  await queries.saveContents(db, fileUid, await describeContents(entries, file.size))
}
