import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

import { unlessMissing } from '../../lib/unless-missing.ts'
import { codeOf } from '../cli-error.ts'

/** Replaces a file so that it is the old or the new one, after a power loss too. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.new`
  await writeSynced(draft, content)
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Creates a new file, because the one of this name may be a link to another. */
async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  await rm(path, { force: true })
  await using handle = await open(path, 'wx')
  await handle.writeFile(content)
  await handle.datasync()
}

export async function syncFile(path: string): Promise<void> {
  await using handle = await open(path, 'r+')
  await handle.datasync()
}

/** Makes new and renamed names in a folder last. Windows does it by itself and cannot open folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(path, 'r')
  await handle.sync()
}

/** A nearly full disk writes only part of the data without an error, and fails on the next attempt. */
export async function writeAll(
  handle: Pick<FileHandle, 'write'>,
  bytes: Uint8Array,
  position: number | null = null,
): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const at = position === null ? null : position + written
    written += (await handle.write(bytes, written, bytes.length - written, at)).bytesWritten
  }
}

interface FilePart {
  path: string
  at: number
  size: number
}

const BUFFER_SIZE = 1024 ** 2
/** Opening a pipe would otherwise wait until another process writes into it. */
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
