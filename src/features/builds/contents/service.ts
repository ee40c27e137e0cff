import { APK_SEARCH_MAX } from '../../../db/build-conditions.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { recordContents } from './jobs.ts'
import type { Contents, RecordedEntry } from './model.ts'
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
  await queueRecording(db, fileUid, gameUid)
  return false
}

/** The contents of a clean file in the format of `lib/zip/contents.ts`. */
export async function loadDocument(db: Db, { uid: fileUid, gameUid }: KnownFile): Promise<Uint8Array> {
  const contents = await queries.findContents(db, fileUid)
  if (contents?.document) return contents.document
  if (contents) {
    throw new AppError('not_found', { message: 'This zip has too many files to list. Fetch it as a whole.' })
  }
  await queueRecording(db, fileUid, gameUid)
  throw new AppError('service_down', {
    message:
      'The contents of this file are being recorded. Try again in a few seconds, or fetch the file as a whole.',
    headers: { 'retry-after': '5' },
  })
}

async function queueRecording(db: Db, fileUid: string, gameUid: string): Promise<void> {
  await enqueue(db, recordContents, { fileUid, gameUid }, { key: `contents:${fileUid}` })
}

/** The entries of a file for which `ensureContents` returned true, in the order of their paths, in batches. */
export async function* listContents(db: Db, fileUid: string): AsyncGenerator<RecordedEntry[]> {
  for (let after = ''; ;) {
    const batch = await queries.listContents(db, fileUid, after)
    const last = batch.at(-1)
    if (!last) return
    yield batch
    after = last.path
  }
}

/** The only package for Android in a clean file; null where there is none, or several. */
export async function findOnlyApk(db: Db, file: KnownFile): Promise<RecordedEntry | null> {
  if (!(await ensureContents(db, file)) || (await queries.hasMoreEntries(db, file.uid, APK_SEARCH_MAX)))
    return null
  const [apk, ...others] = await queries.listApks(db, file.uid, 2)
  return apk && others.length === 0 ? apk : null
}

/** Whether the file has more entries than this. */
export async function hasMoreEntries(db: Db, fileUid: string, count: number): Promise<boolean> {
  return await queries.hasMoreEntries(db, fileUid, count)
}

/** One entry of a file for which `ensureContents` returned true. */
export async function findRecorded(db: Db, fileUid: string, path: string): Promise<RecordedEntry | null> {
  return await queries.findRecorded(db, fileUid, path)
}

export async function recordEntries(
  tx: Transaction,
  fileUid: string,
  entries: readonly RecordedEntry[],
  contents: Contents,
): Promise<void> {
  await queries.insertEntries(tx, fileUid, entries)
  await queries.saveContents(tx, fileUid, contents)
}
