import { link, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { ObjectStore } from '../object-store.ts'
import { OWNER_NAME, readOwnerNote, writeOwnerNote } from '../owner-note.ts'
import { hasCode, moveDurably, orNull, syncFolder, writeDurably } from './folder-disk.ts'
import type { FolderFiles } from './folder-files.ts'

export function createFolderOwner(
  root: string,
  files: FolderFiles,
): Pick<ObjectStore, 'readOwner' | 'writeOwner'> {
  const path = join(root, OWNER_NAME)
  return {
    async readOwner() {
      const text = await orNull(readFile(path, 'utf8'))
      return text === null ? null : readOwnerNote(text)
    },

    async writeOwner(id, { replace = false } = {}) {
      const temporary = files.uploadPath(crypto.randomUUID())
      await writeDurably(temporary, writeOwnerNote(id))
      if (replace) return await moveDurably(temporary, path)
      try {
        // Unlike a rename, a link never replaces an existing file.
        await link(temporary, path)
        await syncFolder(root)
      } catch (error) {
        if (hasCode(error, 'EEXIST')) return
        throw error
      } finally {
        await rm(temporary, { force: true })
      }
    },
  }
}
