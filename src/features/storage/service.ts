import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { enqueue } from '../../jobs/queue.ts'
import { deleteObjects, type StoredObjects } from './jobs.ts'
import { removeObjects } from './remove.ts'

interface Upload {
  uploadId: string
  objectKey: string
}

const KEYS_PER_JOB = 500
const AT_ONCE_MAX = 100
const AT_ONCE_MS = 3000

/** Deletes objects once the transaction that removed their rows has committed. */
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
 * After that commit, for objects that download links lead to: deletes them before the caller hears of it, so that
 * the links are dead by then. The job does what is left, also while the store is down.
 */
export async function discardAtOnce(deps: Deps, { keys }: StoredObjects): Promise<void> {
  if (keys.length === 0) return
  const removal = removeObjects(deps, { keys: keys.slice(0, AT_ONCE_MAX) }).catch((error: unknown) =>
    deps.log.warn('Objects could not be deleted at once; the job does it', { error }),
  )
  await Promise.race([removal, Bun.sleep(AT_ONCE_MS)])
}

/**
 * Frees what an upload that no row names any more has stored, whether it was completed or not. What cannot be freed
 * now is left to the hourly job.
 */
export async function releaseUpload({ store, log }: Deps, { uploadId, objectKey }: Upload): Promise<void> {
  try {
    await store.abortUpload(uploadId)
    await store.delete(objectKey)
  } catch (error) {
    log.warn('An ended upload could not be freed; the hourly job does it', { error })
  }
}

/** The same for an object that never got its row. */
export async function releaseObject({ store, log }: Deps, objectKey: string): Promise<void> {
  try {
    await store.delete(objectKey)
  } catch (error) {
    log.warn('An object without a row could not be deleted; the hourly job does it', { error })
  }
}
