import type { BlockReader } from '../../../lib/zip/block-reader.ts'
import type { ZipEntry } from '../../../lib/zip/directory.ts'
import { readLocalHeader } from '../../../lib/zip/local-header.ts'
import { DEFLATED, type EntryPlace, STORED } from './model.ts'

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
