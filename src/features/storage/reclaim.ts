import { ensureInstallation } from '../../clients/object-store/storage-owner.ts'
import { saveHeldSweep } from '../../db/installation.ts'
import type { Deps } from '../../deps.ts'
import { isTooMuch, orphanedBefore, removeOrphans, type Survey, surveyObjects } from './orphans.ts'
import * as queries from './queries.ts'
import { endExpiredReservations } from './quota.ts'
import { findRecentRestore } from './restored.ts'
import { releaseUpload } from './service.ts'

const BATCH = 500
/** Per kind and run; the next run removes more. */
const REMOVED_MAX = 10_000

/** How many of each were removed. */
export interface Reclaimed {
  sessions: number
  uploads: number
  objects: number
}

const NOTHING: Reclaimed = { sessions: 0, uploads: 0, objects: 0 }

/**
 * Deletes nothing if the store belongs to another installation, if the database was restored lately, or if so many
 * orphans mean that rows are missing.
 */
export async function reclaim(deps: Deps, now: Date, signal: AbortSignal): Promise<Reclaimed> {
  await ensureInstallation(deps)
  await endExpiredReservations(deps.db, now)
  if (await findRecentRestore(deps.config.dataDir, now)) return NOTHING
  const writtenBefore = orphanedBefore(now)
  const surveys = await surveyObjects(deps, writtenBefore, signal)
  if (surveys.some(isTooMuch)) {
    await hold(deps, surveys, now)
    return NOTHING
  }
  await saveHeldSweep(deps.db, null)
  return {
    sessions: await endExpiredSessions(deps, now, signal),
    uploads: await deps.store.sweepUploads(writtenBefore),
    objects: await removeOrphans(deps, surveys, writtenBefore, REMOVED_MAX, signal),
  }
}

async function hold({ db, log }: Deps, surveys: readonly Survey[], now: Date): Promise<void> {
  const sum = (field: 'orphans' | 'bytes') => surveys.reduce((total, survey) => total + survey[field], 0)
  const held = { at: now.toISOString(), objects: sum('orphans'), bytes: sum('bytes') }
  await saveHeldSweep(db, held)
  log.warn(
    'No row refers to an unusual share of the objects, so nothing was removed. Check that the database is complete. `playshelf sweep` lists the objects, `playshelf sweep --confirm` deletes them',
    { objects: held.objects, bytes: held.bytes },
  )
}

async function endExpiredSessions(deps: Deps, now: Date, signal: AbortSignal): Promise<number> {
  for (let ended = 0; ;) {
    signal.throwIfAborted()
    const sessions = await queries.deleteExpiredSessions(deps.db, now, BATCH)
    for (const session of sessions) {
      if (session.fileUid === null) await releaseUpload(deps, session)
    }
    ended += sessions.length
    if (sessions.length < BATCH) return ended
  }
}
