import { rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { isMissing, makeFolder, orNull } from './folder-disk.ts'

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
export async function removeOrRetain(root: string, name: string): Promise<void> {
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
