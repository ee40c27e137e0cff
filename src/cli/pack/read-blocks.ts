import { type FileHandle, open } from 'node:fs/promises'

import { CliError, codeOf } from '../cli-error.ts'
import { type Block, BLOCK_SIZE, DICTIONARY_SIZE } from './compress.ts'
import type { PackFile } from './list-files.ts'

/** Reads a file in blocks. Throws if it is not the file that was listed, or changes meanwhile. */
export async function* readBlocks(file: PackFile): AsyncGenerator<Block> {
  await using handle = await open(file.source, 'r').catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? changed(file, 'was removed') : error
  })
  let dictionary: Buffer | null = null
  let at = 0
  do {
    const bytes = Buffer.allocUnsafeSlow(Math.min(BLOCK_SIZE, file.size - at))
    await fill(handle, bytes, at, file)
    at += bytes.length
    const isLast = at === file.size
    if (isLast) await requireUnchanged(handle, file)
    yield { bytes, dictionary, isLast }
    dictionary = bytes.subarray(-DICTIONARY_SIZE)
  } while (at < file.size)
}

/** Checked after the last byte, so that no change in between goes unnoticed. */
export async function requireUnchanged(handle: FileHandle, file: PackFile): Promise<void> {
  const { size, mtimeNs } = await handle.stat({ bigint: true })
  if (Number(size) !== file.size || mtimeNs !== file.modifiedAt) throw changed(file, 'changed')
}

async function fill(handle: FileHandle, bytes: Buffer, position: number, file: PackFile): Promise<void> {
  for (let filled = 0; filled < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, position + filled)
    if (bytesRead === 0) throw changed(file, 'became shorter')
    filled += bytesRead
  }
}

export function changed({ path }: PackFile, what: string): CliError {
  return new CliError('files', `${path} ${what} while it was read.`, {
    hint: 'Wait until your build has finished, then run the command again.',
  })
}
