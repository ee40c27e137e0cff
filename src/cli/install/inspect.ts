import { join } from 'node:path'

import { hashPart } from './durable.ts'
import { type InstalledFile, lookAt, parentsOf } from './record.ts'

/**
 * `changed`: the player or the game wrote into it. `broken`: other bytes, although size and time say that nobody did.
 */
type FileState = 'intact' | 'changed' | 'broken' | 'missing'

interface InspectOptions {
  /** Also read files whose size and time say that nothing has changed. */
  isThorough?: boolean
  onFile?: (file: InstalledFile) => void
}

/** Compares the files of an installation with its record. */
export async function inspectFiles(
  folder: string,
  files: readonly InstalledFile[],
  { isThorough = false, onFile }: InspectOptions = {},
): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>()
  const look = createLook(folder)
  for (const file of files) {
    const found = await look(file.path)
    onFile?.(file)
    if (found === null) states.set(file.path, 'missing')
    else if (found === 'other' || found.size !== file.size) states.set(file.path, 'changed')
    else if (!isThorough && found.modified_at === file.modified_at) states.set(file.path, 'intact')
    else {
      const sum = await hashPart({ path: join(folder, file.path), at: 0, size: file.size })
      const isTouched = found.modified_at !== file.modified_at
      states.set(file.path, sum === file.sha256 ? 'intact' : isTouched ? 'changed' : 'broken')
    }
  }
  return states
}

interface Found {
  size: number
  modified_at: number
}

/** Finds regular files that are not reached through a link; `other` for everything else that has the name. */
function createLook(folder: string): (path: string) => Promise<Found | 'other' | null> {
  const parents = new Map<string, 'folder' | 'other' | null>()
  return async (path) => {
    for (const parent of parentsOf(path)) {
      if (!parents.has(parent)) {
        const found = await lookAt(join(folder, parent))
        parents.set(parent, found && (found.isDirectory() ? 'folder' : 'other'))
      }
      // What lies behind a link or below a file is not a file of the installation.
      if (parents.get(parent) !== 'folder') return null
    }
    const found = await lookAt(join(folder, path))
    if (!found) return null
    return found.isFile() ? { size: found.size, modified_at: found.mtimeMs } : 'other'
  }
}
