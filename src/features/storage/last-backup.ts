import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { unlessMissing } from '../../lib/unless-missing.ts'

/** The file in DATA_DIR that is as old as the last backup. */
const LAST_BACKUP = 'last-backup'

export async function noteBackup(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, LAST_BACKUP), '')
}

/** When `playshelf backup` last wrote an archive; null if it never did. */
export async function readLastBackup(dataDir: string): Promise<Date | null> {
  return (await unlessMissing(stat(join(dataDir, LAST_BACKUP))))?.mtime ?? null
}

/** Whether the database is the embedded one, which `playshelf backup` knows. */
export async function hasEmbeddedData(dataDir: string): Promise<boolean> {
  return (await unlessMissing(stat(join(dataDir, 'postgres/data/PG_VERSION')))) !== null
}
