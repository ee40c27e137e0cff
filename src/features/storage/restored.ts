import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { unlessMissing } from '../../lib/unless-missing.ts'
import { DAY_MS } from '../../lib/utc-days.ts'

const NAME = 'restored-at'
/** Time to notice that the wrong backup was restored, before objects that only a newer one names are swept. */
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
