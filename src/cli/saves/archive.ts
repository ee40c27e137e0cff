import { SAVE_BYTES_MAX } from '../../domain/saves.ts'
import { writeZip } from '../../lib/bytes/zip-writer.ts'
import { isSliceOver, nextSlice } from '../../lib/flow/loop-slices.ts'
import { formatBytes } from '../../lib/text/show.ts'
import { createBlockReader } from '../../lib/zip/block-reader.ts'
import { readDirectory } from '../../lib/zip/directory.ts'
import { readEntry } from '../../lib/zip/entry-stream.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'
import { CliError } from '../cli-error.ts'

/** A file of a save by its name in it. */
export interface SavedFile {
  path: string
  bytes: Uint8Array
}

export const SAVE_FILES_MAX = 20_000
/** The first moment that a zip can name. */
const EARLIEST = new Date('1980-01-01T00:00:00Z')

/**
 * The same files give the same bytes on every machine: sorted, without times, and not compressed, because the
 * compressors of two systems differ.
 */
export async function packSave(files: readonly SavedFile[]): Promise<Uint8Array> {
  const entries = files.map(({ path, bytes }) => ({ name: path, modifiedAt: EARLIEST, body: [bytes] }))
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of writeZip(entries.toSorted(byName))) {
    parts.push(part)
    size += part.length
    if (size > SAVE_BYTES_MAX) throw tooLarge(size)
    if (isSliceOver()) await nextSlice()
  }
  return Buffer.concat(parts)
}

function byName(one: { name: string }, other: { name: string }): number {
  return Buffer.compare(Buffer.from(one.name), Buffer.from(other.name))
}

export function tooLarge(size: number): CliError {
  const max = formatBytes(SAVE_BYTES_MAX)
  return new CliError('files', `The save has ${formatBytes(size)}; a store takes ${max} at most.`)
}

/** Throws `ZipError` for a zip that could write anything but its files, before any of it is written. */
export async function unpackSave(zip: Uint8Array): Promise<SavedFile[]> {
  const reader = createBlockReader({ size: zip.length, read: async (start, end) => zip.subarray(start, end) })
  const entries = await readDirectory(reader, async (count) => {
    if (count > SAVE_FILES_MAX) throw new ZipError(`The save holds more than ${SAVE_FILES_MAX} files.`)
  })
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (size > SAVE_BYTES_MAX)
    throw new ZipError(
      `The save unpacks to ${formatBytes(size)}; at most ${formatBytes(SAVE_BYTES_MAX)} are taken.`,
    )
  const files: SavedFile[] = []
  for (const entry of entries) {
    if (entry.isFolder) continue
    const pieces: Uint8Array[] = []
    for await (const piece of readEntry(reader, entry)) pieces.push(piece)
    files.push({ path: entry.path.normalize('NFC'), bytes: Buffer.concat(pieces) })
  }
  return files
}
