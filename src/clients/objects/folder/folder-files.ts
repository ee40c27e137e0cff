import { readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { AppError } from '../../../errors.ts'
import { parseJson } from '../../../lib/json.ts'
import { requireKey } from '../keys.ts'
import { DEFAULT_CONTENT_TYPE, type ObjectInfo } from '../object-store.ts'
import { isMissing, makeFolder, moveDurably, orNull, writeDurably } from './folder-disk.ts'

/** Metadata that the file itself cannot hold; stored in a separate file, only if there is any. */
interface Note {
  contentType?: string
  /** The upload that created the object, to recognise a repeated completion. */
  upload?: string
}

export type FolderFiles = ReturnType<typeof createFolderFiles>

/** Objects are files named by key in `root`; `.uploads` and `.notes` are on the same disk, for renames. */
export function createFolderFiles(root: string) {
  const objectPath = (key: string) => join(root, requireKey(key))
  const noteName = (key: string) => `.notes/${requireKey(key)}.json`
  const notePath = (key: string) => join(root, noteName(key))
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
    root,
    uploads,
    uploadPath: (token: string) => join(uploads, token),
    objectPath,
    readNote,
    head,

    /** Moves a complete, synced file to its key, which makes it readable. */
    async publish(file: string, key: string, note: Note): Promise<ObjectInfo> {
      const path = objectPath(key)
      await writeNote(key, note)
      await moveDurably(file, path)
      const info = await head(key)
      if (!info) throw new AppError('not_found')
      return info
    },

    async remove(key: string): Promise<void> {
      await removeOrRetain(root, requireKey(key))
      await removeOrRetain(root, noteName(key))
    },
  }
}

function parseNote(text: string): Note {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) return {}
  return {
    ...('contentType' in value &&
      typeof value.contentType === 'string' && { contentType: value.contentType }),
    ...('upload' in value && typeof value.upload === 'string' && { upload: value.upload }),
  }
}

/** Deleted files wait here under their names while a backup runs. */
export const RETAINED = '.retained'
const BEAT_MS = 10_000
/** A backup that was killed leaves the folder behind, but no longer touches it. */
const STALE_MS = 60_000

/**
 * Until disposed of, files that are deleted disappear from their place but stay in the folder: a backup must
 * contain every object that its copy of the database names, even if it is deleted before it was copied.
 */
export async function retainDeleted(root: string): Promise<AsyncDisposable> {
  const folder = join(root, RETAINED)
  const other = await orNull(stat(folder))
  if (other && Date.now() - other.mtimeMs < STALE_MS) {
    throw new Error(
      'Another backup is running, or was killed less than a minute ago. Try again when it ended.',
    )
  }
  await rm(folder, { recursive: true, force: true })
  await makeFolder(folder)
  const beat = setInterval(() => {
    const now = new Date()
    void utimes(folder, now, now).catch(() => undefined)
  }, BEAT_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** `name` is relative to the root. */
async function removeOrRetain(root: string, name: string): Promise<void> {
  const path = join(root, name)
  if (!(await orNull(stat(join(root, RETAINED))))) return await rm(path, { force: true })
  const kept = join(root, RETAINED, name)
  await makeFolder(dirname(kept))
  await rename(path, kept).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

/** Removes what a killed backup left behind. */
export async function sweepRetained(root: string, touchedBefore: Date): Promise<void> {
  const folder = join(root, RETAINED)
  const found = await orNull(stat(folder))
  if (found && found.mtime < touchedBefore) await rm(folder, { recursive: true, force: true })
}
