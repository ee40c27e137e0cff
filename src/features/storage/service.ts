import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { enqueue } from '../../jobs/queue.ts'
import { waitAtMost } from '../../lib/flow/within.ts'
import { deleteObjects, moveObjects, type ObjectMoves, type StoredObjects } from './jobs.ts'
import { runMoves } from './move.ts'
import { removeObjects } from './remove.ts'

interface Upload {
  uploadId: string
  objectKey: string
}

const KEYS_PER_JOB = 500
const DIRECT_MAX = 100
const DIRECT_MS = 3000

/** Deletes objects after the transaction that deleted their rows has committed. */
export async function discardObjects(tx: Transaction, { keys, uploads = [] }: StoredObjects): Promise<void> {
  const rest = { keys: [...keys], uploads: [...uploads] }
  while (rest.keys.length + rest.uploads.length > 0) {
    await enqueue(tx, deleteObjects, {
      keys: rest.keys.splice(0, KEYS_PER_JOB),
      uploads: rest.uploads.splice(0, KEYS_PER_JOB),
    })
  }
}

/**
 * Called after that commit for objects with download links: deletes them before the request ends, so that the links
 * have stopped by then. The job deletes the rest, also if the store is down.
 */
export async function discardImmediately(deps: Deps, { keys }: StoredObjects): Promise<void> {
  if (keys.length === 0) return
  const removal = removeObjects(deps, { keys: keys.slice(0, DIRECT_MAX) }).catch((error: unknown) =>
    deps.log.warn('Objects could not be deleted immediately; the job will delete them', { error }),
  )
  await waitAtMost(DIRECT_MS, removal)
}

/** The same two steps for files that stay but whose download links must end: they get new keys. */
export async function renewKeys(tx: Transaction, { moves }: ObjectMoves): Promise<void> {
  for (let at = 0; at < moves.length; at += KEYS_PER_JOB)
    await enqueue(tx, moveObjects, { moves: moves.slice(at, at + KEYS_PER_JOB) })
}

export async function renewImmediately(deps: Deps, { moves }: ObjectMoves): Promise<void> {
  if (moves.length === 0) return
  const renewal = runMoves(deps, { moves: moves.slice(0, DIRECT_MAX) }).catch((error: unknown) =>
    deps.log.warn('Files could not be given new keys immediately; the job will do it', { error }),
  )
  await waitAtMost(DIRECT_MS, renewal)
}

/** Deletes what an upload without a row has stored, completed or not. On failure the hourly job does it. */
export async function releaseUpload({ store, log }: Deps, { uploadId, objectKey }: Upload): Promise<void> {
  try {
    await store.abortUpload(uploadId)
    await store.delete(objectKey)
  } catch (error) {
    log.warn('An abandoned upload could not be deleted; the hourly job will delete it', { error })
  }
}

/** The same for an object that never got its row. */
export async function releaseObject({ store, log }: Deps, objectKey: string): Promise<void> {
  try {
    await store.delete(objectKey)
  } catch (error) {
    log.warn('An orphaned object could not be deleted; the hourly job will delete it', { error })
  }
}
