import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

import { unlessMissing } from '../../lib/unless-missing.ts'
import { codeOf } from '../cli-error.ts'
import { writeAll } from './write-all.ts'

interface FilePart {
  path: string
  at: number
  size: number
}

const BUFFER_SIZE = 1024 ** 2
/** Opening a pipe would wait for somebody who writes into it. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** The SHA-256 of bytes of a file; null where it has fewer, or is no file that can be read. */
export async function hashPart(part: FilePart): Promise<string | null> {
  const hasher = new Bun.CryptoHasher('sha256')
  return (await readPart(part, (bytes) => void hasher.update(bytes))) ? hasher.digest('hex') : null
}

/** Copies bytes into an open file; false where there are fewer. What they are is checked with the whole file. */
export async function copyPart(from: FilePart, handle: FileHandle, to: number): Promise<boolean> {
  return await readPart(from, async (bytes, at) => {
    await writeAll(handle, bytes, to + at)
  })
}

/** False where there are fewer bytes. Only regular files are read: others may never end. */
async function readPart(
  { path, at, size }: FilePart,
  use: (bytes: Uint8Array, at: number) => void | Promise<void>,
): Promise<boolean> {
  try {
    const opened = await unlessMissing(open(path, READ))
    if (!opened) return false
    await using handle = opened
    if (!(await handle.stat()).isFile()) return false
    const buffer = Buffer.allocUnsafe(Math.min(size, BUFFER_SIZE))
    for (let done = 0; done < size;) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - done), at + done)
      if (bytesRead === 0) return false
      await use(buffer.subarray(0, bytesRead), done)
      done += bytesRead
    }
    return true
  } catch (error) {
    if (['ENOTDIR', 'EISDIR', 'ELOOP'].includes(String(codeOf(error)))) return false
    throw error
  }
}
