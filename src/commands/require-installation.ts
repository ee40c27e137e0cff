import { ensureInstallation } from '../db/storage-owner.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'

/**
 * Throws on a store that does not belong to this database. One that is down stops nothing: it is checked again
 * before anything in it is deleted.
 */
export async function requireInstallation({ db, store, log }: Deps): Promise<void> {
  try {
    await ensureInstallation({ db, store })
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'service_down')) throw error
    log.warn('Whether the object store belongs to this database could not be checked', { error })
  }
}
