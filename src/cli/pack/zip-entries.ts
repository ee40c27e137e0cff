import type { FileHandle } from 'node:fs/promises'

import { type BlockReader, createBlockReader } from '../../lib/zip/block-reader.ts'
import { readDirectory } from '../../lib/zip/directory.ts'
import { readEntry } from '../../lib/zip/entry-stream.ts'
import { readLocalHeader } from '../../lib/zip/local-header.ts'
import { ZipError } from '../../lib/zip/zip-error.ts'

/** A file and the place of its packed bytes in the zip, after the header. */
interface ZipContent {
  path: string
  size: number
  sha256: string
  at: number
  length: number
}

export function openZip(handle: FileHandle, size: number): BlockReader {
  return createBlockReader({
    size,
    async read(start, end) {
      const bytes = Buffer.allocUnsafe(end - start)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
      return bytes.subarray(0, bytesRead)
    },
  })
}

/** Unpacks every file for its SHA-256. Throws `ZipError` for a zip that the store would refuse. */
export async function hashZipEntries(reader: BlockReader): Promise<ZipContent[]> {
  const found: ZipContent[] = []
  for (const entry of await readDirectory(reader)) {
    if (entry.isFolder) continue
    const hasher = new Bun.CryptoHasher('sha256')
    for await (const piece of readEntry(reader, entry)) hasher.update(piece)
    const { path, size, packedSize: length } = entry
    const { start: at } = await readLocalHeader(reader, entry)
    found.push({ path, size, sha256: hasher.digest('hex'), at, length })
  }
  return found
}

/** The same; none for a zip that cannot be read, which the store will judge. */
export async function readZipEntries(handle: FileHandle, size: number): Promise<ZipContent[]> {
  try {
    return await hashZipEntries(openZip(handle, size))
  } catch (error) {
    if (error instanceof ZipError) return []
    throw error
  }
}
