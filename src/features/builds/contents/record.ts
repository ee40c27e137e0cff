import { openObjectSource } from '../../../clients/object-store/object-ranges.ts'
import type { Deps } from '../../../deps.ts'
import { createBlockReader } from '../../../lib/zip/block-reader.ts'
import { readDirectory } from '../../../lib/zip/directory.ts'
import { describeContents } from './describe.ts'
import { placeEntry } from './place.ts'
import * as queries from './queries.ts'
import { readContents } from './service.ts'

/** Only headers are read: larger blocks would be filled with content. */
const BLOCK_SIZE = 256 * 1024

/** May run twice for one file: the places are always the same. */
export async function recordPlaces(
  { db, store }: Pick<Deps, 'db' | 'store'>,
  fileUid: string,
  signal: AbortSignal,
): Promise<void> {
  const file = await queries.findCleanFile(db, fileUid)
  if (!file || !(await queries.lacksPlaces(db, fileUid))) return
  const reader = createBlockReader(openObjectSource(store, file.objectKey, file.size), BLOCK_SIZE)
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
  const entries = (await Array.fromAsync(readContents(db, fileUid))).flat()
  await queries.saveContents(db, fileUid, await describeContents(entries, file.size))
}
