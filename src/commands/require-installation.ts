import { ensureInstallation } from '../clients/objects/storage-owner.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'

/**
 * Throws when the object store belongs to another database. An unreachable store does not stop the start: it is
 * checked again before anything in it is deleted.
 */
export async function requireInstallation({ db, objects, log }: Deps): Promise<void> {
  try {
    await ensureInstallation({ db, objects })
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'service_down')) throw error
    log.warn('Could not check whether the object store belongs to this database', { error })
  }
}
