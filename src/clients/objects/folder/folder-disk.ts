import { constants } from 'node:fs'
import { chmod, copyFile, type FileHandle, link, mkdir, open, rename, statfs, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'

import { AppError } from '../../../errors.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { formatBytes } from '../../../lib/text/show.ts'
import { unlessMissing } from '../../../lib/unless-missing.ts'
import { readPieces } from '../body/sliced-body.ts'
import type { Body, WriteOptions } from '../object-store.ts'

interface DiskOptions extends WriteOptions {
  /** Checked while the body is written. */
  room?: DiskRoom
}

/** Only this user can read what is stored, whatever the umask is. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Returns the first folder that had to be created. */
export async function makeFolder(path: string): Promise<string | undefined> {
  return await mkdir(path, { recursive: true, mode: FOLDER_MODE })
}

/** For the folder of all objects, which may be older than this rule; one of another user is left as it is. */
export async function closeFolder(path: string): Promise<void> {
  await chmod(path, FOLDER_MODE).catch(() => undefined)
}

/** Creates a file that must not exist yet. */
export async function writeDurably(path: string, body: Body, options?: DiskOptions): Promise<void> {
  await orFault(makeFolder(dirname(path)))
  const { bodyFailure } = await writeTo(path, { flags: 'wx', syncs: true }, body, options)
  if (bodyFailure) throw bodyFailure.error
  await syncFile(path)
}

/**
 * Appends to an existing file. When this returns, every byte the body yielded is written, even if the body
 * failed. Bytes that a power cut takes from an unfinished upload are detected by its checksum.
 */
export async function appendTo(path: string, body: Body, options?: DiskOptions) {
  return writeTo(path, { flags: constants.O_WRONLY | constants.O_APPEND, syncs: false }, body, options)
}

/** Makes all appended bytes survive a power cut. */
export async function syncFile(path: string): Promise<void> {
  await syncAndClose(await orFault(open(path, constants.O_WRONLY)))
}

/** Fails only where bytes may be lost: a file that cannot be opened now is left to a later sync. */
export async function syncEarly(path: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY).catch(() => null)
  if (file) await syncAndClose(file)
}

async function syncAndClose(file: FileHandle): Promise<void> {
  try {
    await orFault(file.datasync())
  } finally {
    await file.close()
  }
}

/**
 * Links to the same bytes instead of copying them: objects are replaced, never changed. The new modification
 * time protects it from the sweep until a row refers to it.
 */
export async function duplicate(from: string, to: string): Promise<void> {
  const now = new Date()
  const isLinked = await link(from, to).then(
    () => true,
    () => false,
  )
  if (isLinked) return await orFault(utimes(to, now, now))
  // Some file systems have no links.
  await orFault(copyFile(from, to, constants.COPYFILE_FICLONE))
  await orFault(chmod(to, FILE_MODE))
  await syncFile(to)
}

async function writeTo(
  path: string,
  { flags, syncs }: { flags: string | number; syncs: boolean },
  source: Body,
  options?: DiskOptions,
) {
  const file = await orFault(open(path, flags, FILE_MODE))
  await using writer = openFileWriter(file, { release: options?.release, syncs })
  const pieces = readPieces(source, options)
  const body: { failure: { error: unknown } | null } = { failure: null }
  try {
    for (;;) {
      const next = await pieces.next().catch((error: unknown) => void (body.failure = { error }))
      if (!next || next.done) break
      await options?.room?.require()
      await orFault(writer.add(next.value))
    }
    await orFault(writer.flush())
  } finally {
    await pieces.return(undefined)
  }
  return { bodyFailure: body.failure, size: (await file.stat()).size }
}

/** Syncs the folders, so that the move and any folders created for it survive a power cut. */
export async function moveDurably(from: string, to: string): Promise<void> {
  const folder = dirname(to)
  const made = await orFault(makeFolder(folder))
  await orFault(rename(from, to))
  const last = made === undefined ? folder : dirname(made)
  for (let path = folder; ; path = dirname(path)) {
    await syncFolder(path)
    if (path === last) return
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Errors about a missing file are rethrown unchanged. */
async function orFault<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) throw cause
    if (['EISDIR', 'ENOTDIR', 'EEXIST'].some((code) => hasCode(cause, code))) {
      throw new AppError('invalid_request', {
        message: 'This key is a folder of other keys, or inside an object.',
        cause,
      })
    }
    if (['ENOSPC', 'EDQUOT', 'EFBIG'].some((code) => hasCode(cause, code)))
      throw new AppError('storage_full', { cause })
    throw new AppError('service_down', { message: 'The object store cannot be written.', cause })
  }
}

export async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Pieces from a network are small, and each write has its cost: they are collected up to this size. */
const WRITE_BYTES = 256 * 1024
/** A slow sender's bytes are written after this time, however few they are. */
const WRITE_MS = 50
/** How many bytes may be buffered during a write. */
const AHEAD_BYTES = 512 * 1024
/** Syncs regularly, so that the final sync is short. */
const SYNC_BYTES = 8 * 1024 * 1024

interface FileWriter extends AsyncDisposable {
  /** Resolves when there is room for more. The caller must not change the bytes afterwards. */
  add(bytes: Uint8Array): Promise<void>
  /** Resolves when all bytes are in the file; throws if any write failed. */
  flush(): Promise<void>
}

interface FileWriterOptions {
  /** Called with each piece when it is written. */
  release?: ((piece: Uint8Array) => void) | undefined
  /** Whether to sync regularly while writing. */
  syncs: boolean
}

/** Appends to a file. Pieces are collected for the next write without copying. */
function openFileWriter(file: FileHandle, { release, syncs }: FileWriterOptions): FileWriter {
  let ahead: Uint8Array[] = []
  let aheadBytes = 0
  let isWriting = false
  let unsynced = 0
  let writing = Promise.resolve()
  let syncing: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function write(pieces: Uint8Array[], bytes: number): Promise<void> {
    isWriting = true
    await writeAll(file, pieces, bytes)
    isWriting = false
    if (release) pieces.forEach(release)
    unsynced += bytes
    if (!syncs || syncing || unsynced < SYNC_BYTES) return
    unsynced = 0
    syncing = file.datasync().then(() => void (syncing = null))
    syncing.catch(() => undefined)
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    if (isWriting || aheadBytes === 0) return
    writing = write(ahead, aheadBytes)
    // The next `add` or `flush` throws the error.
    writing.catch(() => undefined)
    ahead = []
    aheadBytes = 0
  }

  return {
    async add(bytes) {
      ahead.push(bytes)
      aheadBytes += bytes.byteLength
      timer ??= setTimeout(start, WRITE_MS)
      if (aheadBytes < (isWriting ? AHEAD_BYTES : WRITE_BYTES)) return
      await writing
      start()
    },
    async flush() {
      await writing
      start()
      await writing
      await syncing
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await Promise.allSettled([writing, syncing])
      await file.close()
    },
  }
}

/** A nearly full disk writes only part of the data, and fails on the next attempt. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], bytes: number): Promise<void> {
  let { bytesWritten } = await file.writev(pieces)
  if (bytesWritten === bytes) return
  for (const piece of pieces) {
    for (; bytesWritten < piece.byteLength;) {
      bytesWritten += (await file.write(piece, bytesWritten)).bytesWritten
    }
    bytesWritten -= piece.byteLength
  }
}

/** The maximum age of the free space that uploads are checked against. */
const FRESH_MS = 1000

export interface DiskRoom {
  /** Throws `storage_full` if storing this many bytes would leave less free than the reserve. */
  require(bytes?: number): Promise<void>
}

/** The disk of a folder, of which `reserve` bytes stay free for everything but uploads; 0 turns the check off. */
export function createDiskRoom(folder: string, reserve: number): DiskRoom {
  const readFree = memoize(FRESH_MS, async () => {
    const disk = await unlessMissing(statfs(folder))
    // Before the first object there is no folder.
    return disk ? disk.bavail * disk.bsize : Infinity
  })
  return {
    async require(bytes = 0) {
      if (reserve === 0) return
      const free = await readFree()
      if (free - bytes >= reserve) return
      const cause = `${formatBytes(free)} are free on the disk of ${folder}; ${formatBytes(reserve)} must stay free`
      throw new AppError('storage_full', { cause: new Error(cause) })
    },
  }
}
