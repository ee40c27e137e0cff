import type { Deps } from '../../deps.ts'

interface Upload {
  uploadId: string
  objectKey: string
}

/**
 * Frees what an upload that no row names any more has stored, whether it was completed or not. What cannot be freed
 * now is left to the hourly job.
 */
export async function freeUpload({ store, log }: Deps, { uploadId, objectKey }: Upload): Promise<void> {
  try {
    await store.abortUpload(uploadId)
    await store.delete(objectKey)
  } catch (error) {
    log.warn('An ended upload could not be freed; the hourly job does it', { error })
  }
}

/** The same for an object that never got its row. */
export async function freeObject({ store, log }: Deps, objectKey: string): Promise<void> {
  try {
    await store.delete(objectKey)
  } catch (error) {
    log.warn('An object without a row could not be deleted; the hourly job does it', { error })
  }
}
