import { ensureInstallation } from '../../clients/objects/storage-owner.ts'
import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { variantKeysOf } from '../../domain/listings/image-variants.ts'
import { AppError } from '../../errors.ts'
import { enqueue } from '../../jobs/queue.ts'
import { waitAtMost } from '../../lib/flow/with-timeout.ts'
import { deleteObjects, moveObjects, type ObjectMoves, type StoredObjects } from './jobs.ts'
import * as queries from './queries.ts'
import { renameFile } from './queries.ts'
import { lockObject } from './shared-queries.ts'

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
 * Call after that commit for objects with download links: deletes them before the request ends, so that no
 * link works after the response. The job deletes what is left, for example if the object store was down.
 */
export async function discardImmediately(deps: Deps, { keys }: StoredObjects): Promise<void> {
  if (keys.length === 0) return
  const removal = removeObjects(deps, { keys: keys.slice(0, DIRECT_MAX) }).catch((error: unknown) =>
    deps.log.warn('Objects could not be deleted immediately; the job will delete them', { error }),
  )
  await waitAtMost(DIRECT_MS, removal)
}

/** Gives files new keys, in the same two steps, so that their download links stop working. */
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

/** Deletes the bytes of an upload that got no row, completed or not. On failure the hourly job does it. */
export async function releaseUpload({ objects, log }: Deps, { uploadId, objectKey }: Upload): Promise<void> {
  try {
    await objects.abortUpload(uploadId)
    await objects.delete(objectKey)
  } catch (error) {
    log.warn('An abandoned upload could not be deleted; the hourly job will delete it', { error })
  }
}

/** The same for an object that never got its row. */
export async function releaseObject({ objects, log }: Deps, objectKey: string): Promise<void> {
  try {
    await objects.delete(objectKey)
  } catch (error) {
    log.warn('An orphaned object could not be deleted; the hourly job will delete it', { error })
  }
}

type Services = Pick<Deps, 'db' | 'objects'>

/** Identical images share one object. Every other object has one row and is deleted with it. */
const SHARED_PREFIX = 'images/'

/** Deletes the objects of deleted rows. Idempotent. Throws if the object store is another installation's. */
export async function removeObjects(
  deps: Services,
  { keys, uploads = [] }: StoredObjects,
  signal?: AbortSignal,
): Promise<void> {
  await ensureInstallation(deps)
  for (const key of keys) {
    signal?.throwIfAborted()
    await removeObject(deps, key)
  }
  for (const upload of uploads) {
    signal?.throwIfAborted()
    await deps.objects.abortUpload(upload)
  }
}

/** Returns whether it was deleted: a shared object stays while a row refers to it. */
export async function removeObject(deps: Services, key: string): Promise<boolean> {
  if (key.startsWith(SHARED_PREFIX)) return await removeShared(deps, key)
  await deps.objects.delete(key)
  return true
}

/** Takes the lock that everyone who adds a reference takes before checking that the object exists. */
async function removeShared({ db, objects }: Services, key: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await lockObject(tx, key)
    if ((await queries.listNamedKeys(tx, [key])).size > 0) return false
    for (const each of [...variantKeysOf(key), key]) await objects.delete(each)
    return true
  })
}

/**
 * Copies each object, points its row at the copy, then deletes the original. Repeating it is harmless. If it
 * crashes in between, the hourly job removes the copy that no row refers to.
 */
export async function runMoves(
  deps: Pick<Deps, 'db' | 'objects'>,
  { moves }: ObjectMoves,
  signal?: AbortSignal,
): Promise<void> {
  await ensureInstallation(deps)
  for (const { from, to } of moves) {
    signal?.throwIfAborted()
    await moveObject(deps, from, to)
  }
}

async function moveObject(
  { db, objects }: Pick<Deps, 'db' | 'objects'>,
  from: string,
  to: string,
): Promise<void> {
  if ((await objects.head(to)) === null) {
    try {
      await objects.copy(from, to)
    } catch (error) {
      // Its file was deleted in the meantime.
      if (error instanceof AppError && error.kind === 'not_found') return
      throw error
    }
  }
  if (!(await renameFile(db, from, to))) await objects.delete(to)
  await objects.delete(from)
}
