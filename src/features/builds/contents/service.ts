import type { Db, Transaction } from '../../../db/client.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { recordContents } from './jobs.ts'
import type { RecordedEntry } from './model.ts'
import * as queries from './queries.ts'

interface KnownFile {
  uid: string
  gameUid: string
}

/**
 * Whether the places of a clean file's entries are recorded. If not, queues the job that does it; callers answer
 * with "later".
 */
export async function ensureContents(db: Db, { uid: fileUid, gameUid }: KnownFile): Promise<boolean> {
  if (!(await queries.lacksPlaces(db, fileUid))) return true
  await enqueue(db, recordContents, { fileUid, gameUid }, { key: `contents:${fileUid}` })
  return false
}

/** The entries of a file for which `ensureContents` returned true, in the order of their paths, in batches. */
export async function* readContents(db: Db, fileUid: string): AsyncGenerator<RecordedEntry[]> {
  for (let after = ''; ;) {
    const batch = await queries.listContents(db, fileUid, after)
    const last = batch.at(-1)
    if (!last) return
    yield batch
    after = last.path
  }
}

export async function recordEntries(
  tx: Transaction,
  fileUid: string,
  entries: readonly RecordedEntry[],
): Promise<void> {
  await queries.insertEntries(tx, fileUid, entries)
}
