import { type ByteSource, createBlockReader } from '../../../src/lib/zip/block-reader.ts'
import { readDirectory } from '../../../src/lib/zip/directory.ts'
import { readEntry } from '../../../src/lib/zip/entry-stream.ts'
import { ZipError } from '../../../src/lib/zip/zip-error.ts'

export const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
})

/** Reads a zip as the scan does; returns the size of each entry by its path. */
export async function unpack(source: ByteSource, blockSize?: number): Promise<Record<string, number>> {
  const reader = createBlockReader(source, blockSize)
  const sizes: Record<string, number> = {}
  for (const entry of await readDirectory(reader)) {
    let size = 0
    for await (const piece of readEntry(reader, entry)) size += piece.length
    sizes[entry.path] = size
  }
  return sizes
}

/** The bytes of each entry of a small zip, by its path. */
export async function readZip(zip: Uint8Array): Promise<Record<string, Uint8Array>> {
  const reader = createBlockReader(sourceOf(zip))
  const entries: Record<string, Uint8Array> = {}
  for (const entry of await readDirectory(reader)) {
    const pieces = await Array.fromAsync(readEntry(reader, entry))
    entries[entry.path] = Buffer.concat(pieces)
  }
  return entries
}

/** Returns why a zip is refused, or null if it is accepted. */
export async function findRefusal(zip: Uint8Array): Promise<string | null> {
  try {
    await unpack(sourceOf(zip))
    return null
  } catch (error) {
    if (error instanceof ZipError) return error.message
    throw error
  }
}
