import { constants } from 'node:fs'
import { chmod, copyFile, type FileHandle, link, mkdir, open, rename, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'

import { AppError } from '../../../errors.ts'
import { readPieces } from '../body/body-pieces.ts'
import type { Body, WriteOptions } from '../object-store.ts'
import type { DiskRoom } from './disk-room.ts'
import { openFileWriter } from './file-writer.ts'

export interface DiskOptions extends WriteOptions {
  /** Checked while the body is written. */
  room?: DiskRoom
}

/** Nobody but this user reads what is stored, whatever the umask is. */
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
 * A second name for the same bytes, which takes no time: objects are replaced, never changed. The new modification
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
