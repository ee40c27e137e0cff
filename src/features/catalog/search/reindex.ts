import { lockIndex } from '../../../clients/search/postgres/write/index-queries.ts'
import {
  type PreparedDocuments,
  prepareDocuments,
} from '../../../clients/search/postgres/write/prepare-documents.ts'
import { dropUnusedWords, writeIndex } from '../../../clients/search/postgres/write/write-index.ts'
import {
  disableParallelPlans,
  loadLastNumbers,
} from '../../../clients/search/postgres/write/write-queries.ts'
import type { Database, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { indexChanges, loadDocuments, loadDocumentsFrom } from './indexing.ts'
import { markMirrorsBehind } from './mirror-queries.ts'
import { rebuildMirror } from './mirror.ts'
import { deleteOldChanges } from './queries.ts'
import * as queries from './reindex-queries.ts'

/** Changes of single listings wait for one batch at most. */
const BATCH_SIZE = 2048
const FIRST_UID = '00000000-0000-0000-0000-000000000000'
const LOCK = 'search reindex'
/** An interrupted run that is older than this starts over: listings may have changed without a notification. */
const RESUME_MS = 3_600_000
/** How many of the newest changes are indexed first. */
const CHANGES_FIRST = 1000

export interface ReindexProgress {
  done: number
  total: number
}

export interface ReindexOptions {
  batchSize?: number
  onProgress?: (progress: ReindexProgress) => void
  signal?: AbortSignal
}

/** Read while the batch before is written. */
interface Batch extends queries.ReindexStep {
  /** The version of the index before the listings were read. */
  version: number
  prepared: PreparedDocuments
}

/**
 * Indexes every public listing again and returns how many there were. Searches continue meanwhile: each document
 * stays until the new one replaces it. Continues a run that was interrupted.
 */
export async function reindex(deps: Deps, options: ReindexOptions = {}): Promise<number> {
  await deps.db.transaction(async (tx) => {
    await lockIndex(tx)
    const unfinished = await queries.findReindex(tx)
    const isRecent = unfinished !== null && Date.now() - unfinished.movedAt.getTime() < RESUME_MS
    if (unfinished?.isFull && isRecent) return
    await queries.upsertReindex(tx, FIRST_UID, true)
    await deleteOldChanges(tx, CHANGES_FIRST)
  })
  await indexChanges(deps, options.signal)
  return await continueReindex(deps, options)
}

/** Requests that the next `continueReindex` indexes all listings, or those from this uid on. */
export async function requestReindex(tx: Transaction, fromUid = FIRST_UID): Promise<void> {
  await lockIndex(tx)
  await queries.upsertReindex(tx, fromUid, fromUid === FIRST_UID)
}

/**
 * Runs the requested reindex in every configured engine and returns the number of listings. Only one process
 * runs it at a time; others wait and then find nothing left.
 */
export async function continueReindex(deps: Deps, options: ReindexOptions = {}): Promise<number> {
  return await deps.database.withLock(LOCK, async () => {
    let run = await queries.findReindex(deps.db)
    if (!run) return 0
    let done = 0
    for (; run; run = await queries.findReindex(deps.db)) done = await work(deps.db, run, options)
    await deps.db.transaction((tx) => dropUnusedWords(tx))
    if (deps.config.meili) {
      const { openMeilisearch } = await import('../../../clients/search/meilisearch/engine.ts')
      await rebuildMirror(deps.database, openMeilisearch(deps.config.meili), loadDocuments)
    }
    return done
  })
}

/** Ends when all are done or another reindex was requested. Returns how many listings it indexed. */
async function work(
  db: Database,
  { nextUid, requests, ...run }: queries.Reindex,
  { batchSize = BATCH_SIZE, onProgress, signal }: ReindexOptions,
): Promise<number> {
  let { done } = run
  const total = done + (await queries.countPublic(db, nextUid))
  const read = (fromUid: string) => loadBatch(db, fromUid, requests, batchSize)
  let reading: Promise<Batch> | null = read(nextUid)
  while (reading) {
    onProgress?.({ done, total })
    const batch: Batch = await reading
    signal?.throwIfAborted()
    reading = batch.nextUid === null ? null : read(batch.nextUid)
    // Awaited after the write, which may fail first.
    reading?.catch(() => undefined)
    if (!(await writeBatch(db, batch))) return done
    done += batch.prepared.documents.length
  }
  onProgress?.({ done, total: done })
  return done
}

async function loadBatch(db: Database, fromUid: string, requests: number, size: number): Promise<Batch> {
  const { documents, ...read } = await db.transaction(async (tx) => {
    await disableParallelPlans(tx)
    const { version } = await loadLastNumbers(tx)
    return { version, ...(await loadDocumentsFrom(tx, fromUid, size)) }
  })
  return { ...read, fromUid, requests, prepared: await prepareDocuments(documents) }
}

/** Returns false when another reindex was requested meanwhile. */
async function writeBatch(db: Database, { version, prepared, ...step }: Batch): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await lockIndex(tx)
    if (!(await queries.moveReindex(tx, step, prepared.documents.length))) return false
    const removed = await queries.listNotPublic(tx, step.fromUid, step.nextUid)
    await writeIndex(tx, prepared, removed, { upTo: version })
    await markMirrorsBehind(tx)
    return true
  })
}
