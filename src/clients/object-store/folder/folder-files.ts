import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { AppError } from '../../../errors.ts'
import { parseJson } from '../../../lib/json.ts'
import { requireKey } from '../keys.ts'
import { DEFAULT_CONTENT_TYPE, type ObjectInfo } from '../object-store.ts'
import { moveDurably, orNull, writeDurably } from './folder-disk.ts'
import { removeOrRetain } from './folder-retained.ts'

/** Metadata that the file itself cannot hold; stored in a separate file, only if there is any. */
export interface Note {
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
