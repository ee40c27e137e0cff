import { constants } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { AppError } from '../../errors.ts'
import { createBlockPool, sendInBlocks } from './body-blocks.ts'
import { requireKey } from './keys.ts'
import { type Body, DEFAULT_CONTENT_TYPE, type ObjectInfo } from './object-store.ts'

const WRITE_BLOCKS = createBlockPool(256 * 1024, 8)

/** What a file cannot say about its object; kept beside it, and only when there is something to say. */
export interface Note {
  contentType?: string
  /** The upload that made the object, so that completing it again can be recognised. */
  upload?: string
}

export type FolderFiles = ReturnType<typeof createFolderFiles>

/** Objects lie under their keys in `root`; `.uploads` and `.notes` are beside them, on the same disk for renames. */
export function createFolderFiles(root: string) {
  const objectPath = (key: string) => join(root, requireKey(key))
  const notePath = (key: string) => join(root, '.notes', `${requireKey(key)}.json`)
  const uploads = join(root, '.uploads')

  async function readNote(key: string): Promise<Note> {
    const text = await orNull(readFile(notePath(key), 'utf8'))
    return text === null ? {} : parseNote(text)
  }

  async function head(key: string): Promise<ObjectInfo | null> {
    const stats = await orNull(stat(objectPath(key), { bigint: true }))
    if (!stats?.isFile()) return null
    const { contentType = DEFAULT_CONTENT_TYPE } = await readNote(key)
    const etag = `"${stats.mtimeNs.toString(36)}-${stats.size.toString(36)}"`
    return { key, size: Number(stats.size), etag, contentType, modifiedAt: stats.mtime }
  }

  async function writeNote(key: string, note: Note): Promise<void> {
    const path = notePath(key)
    if (Object.keys(note).length === 0) return rm(path, { force: true })
    const temporary = join(uploads, `${crypto.randomUUID()}.json`)
    await writeDurably(temporary, new TextEncoder().encode(JSON.stringify(note)))
    await moveDurably(temporary, path)
  }

  return {
    uploads,
    uploadPath: (token: string) => join(uploads, token),
    objectPath,
    readNote,
    head,

    /** Moves a whole and synced file to its key; from then on it can be read. */
    async publish(file: string, key: string, note: Note): Promise<ObjectInfo> {
      const path = objectPath(key)
      await writeNote(key, note)
      await moveDurably(file, path)
      const info = await head(key)
      if (!info) throw new AppError('not_found')
      return info
    },

    async remove(key: string): Promise<void> {
      await rm(objectPath(key), { force: true })
      await rm(notePath(key), { force: true })
    },
  }
}

function parseNote(text: string): Note {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return {}
  return {
    ...('contentType' in value &&
      typeof value.contentType === 'string' && { contentType: value.contentType }),
    ...('upload' in value && typeof value.upload === 'string' && { upload: value.upload }),
  }
}

/** Creates a file that must not exist yet. */
export async function writeDurably(path: string, body: Body, signal?: AbortSignal): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const { bodyFailure } = await writeTo(path, 'wx', body, signal)
  if (bodyFailure) throw bodyFailure.error
  await syncFile(path)
}

/**
 * Adds to a file that must exist; everything the body gave is in it when this answers, even if it failed. A crash of
 * the program takes nothing; what a power cut takes from an unfinished upload shows in its checksum.
 */
export async function appendTo(path: string, body: Body, signal?: AbortSignal) {
  return writeTo(path, constants.O_WRONLY | constants.O_APPEND, body, signal)
}

/** All that was appended survives a power cut from here on. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY)
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

async function writeTo(path: string, flags: string | number, body: Body, signal?: AbortSignal) {
  const file = await open(path, flags)
  try {
    const write = async (bytes: Uint8Array) => {
      for (let done = 0; done < bytes.length;) done += (await orFault(file.write(bytes, done))).bytesWritten
    }
    using sent = await sendInBlocks(body, { pool: WRITE_BLOCKS, parallel: 1, send: write, signal })
    await write(sent.rest)
    return { bodyFailure: sent.bodyFailure, size: (await file.stat()).size }
  } finally {
    await file.close()
  }
}

/** The move itself must survive a power cut, and so must the folders made for it. */
async function moveDurably(from: string, to: string): Promise<void> {
  const folder = dirname(to)
  const made = await orFault(mkdir(folder, { recursive: true }))
  await orFault(rename(from, to))
  const last = made === undefined ? folder : dirname(made)
  for (let path = folder; ; path = dirname(path)) {
    await syncFolder(path)
    if (path === last) return
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function orFault<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (cause) {
    if (['EISDIR', 'ENOTDIR', 'EEXIST'].some((code) => hasCode(cause, code))) {
      throw new AppError('invalid_request', {
        message: 'This key is a folder of other keys, or inside an object.',
        cause,
      })
    }
    const full = hasCode(cause, 'ENOSPC') || hasCode(cause, 'EDQUOT')
    const message = full ? 'The object store is full.' : 'The object store cannot be written.'
    throw new AppError('service_down', { message, cause })
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

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
