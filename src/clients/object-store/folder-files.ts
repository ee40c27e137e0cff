import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { AppError } from '../../errors.ts'
import { parseJson } from '../../lib/json.ts'
import { moveDurably, orNull, writeDurably } from './folder-disk.ts'
import { requireKey } from './keys.ts'
import { DEFAULT_CONTENT_TYPE, type ObjectInfo } from './object-store.ts'

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
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) return {}
  return {
    ...('contentType' in value &&
      typeof value.contentType === 'string' && { contentType: value.contentType }),
    ...('upload' in value && typeof value.upload === 'string' && { upload: value.upload }),
  }
}
