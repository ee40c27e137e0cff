import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DAY_MS } from '../../lib/time.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'

/** A file in DATA_DIR whose modification time is that of the last backup. */
const LAST_BACKUP = 'last-backup'

export async function noteBackup(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, LAST_BACKUP), '')
}

/** When `playshelf backup` last wrote an archive; null if it never did. */
export async function readLastBackup(dataDir: string): Promise<Date | null> {
  return (await unlessMissing(stat(join(dataDir, LAST_BACKUP))))?.mtime ?? null
}

/** Whether the database is the embedded one, the only one that `playshelf backup` saves. */
export async function hasEmbeddedData(dataDir: string): Promise<boolean> {
  return (await unlessMissing(stat(join(dataDir, 'postgres/data/PG_VERSION')))) !== null
}

const NAME = 'restored-at'
/** Orphans are kept this long after a restore, because a newer backup may still refer to them. */
const REST_MS = 7 * DAY_MS

/** Called after the embedded database was restored from a backup. */
export async function noteRestore(dataDir: string, at: Date): Promise<void> {
  await writeFile(join(dataDir, NAME), at.toISOString())
}

/** When the database was restored, if that was less than a week ago. */
export async function findRecentRestore(dataDir: string, now: Date): Promise<Date | null> {
  const text = await unlessMissing(readFile(join(dataDir, NAME), 'utf8'))
  const at = new Date(text ?? Number.NaN)
  return now.getTime() - at.getTime() < REST_MS ? at : null
}
