import { adoptStore, ensureInstallation, findInstallationFault } from '../clients/objects/storage-owner.ts'
import { saveHeldSweep } from '../db/installation.ts'
import type { Deps } from '../deps.ts'
import { findRecentRestore } from '../features/storage/backup-notes.ts'
import { orphanedBefore, removeOrphans, type Survey, surveyObjects } from '../features/storage/reclaim.ts'
import { formatBytes, plural } from '../lib/text/show.ts'

interface SweepOptions {
  now?: Date
  print?: (text: string) => void
}

/** Lists objects that no row refers to; removes them only after confirmation, however many there are. */
export async function runSweep(
  deps: Deps,
  isConfirmed: boolean,
  { now = new Date(), print = console.log }: SweepOptions = {},
): Promise<string> {
  await ensureInstallation(deps)
  const writtenBefore = orphanedBefore(now)
  const surveys = await surveyObjects(deps, writtenBefore)
  const restored = await findRecentRestore(deps.config.dataDir, now)
  const listing = [...(restored ? [describeRestore(restored)] : []), ...surveys.flatMap(describe)]
  if (surveys.every(({ orphans }) => orphans === 0)) return [...listing, 'Nothing to remove.'].join('\n')
  if (!isConfirmed) {
    const advice =
      'Nothing was removed. If the database is complete, run `playshelf sweep --confirm` to delete these objects permanently.'
    return [...listing, advice].join('\n')
  }
  print(listing.join('\n'))
  const removed = await removeOrphans(deps, surveys, writtenBefore, Number.POSITIVE_INFINITY)
  await saveHeldSweep(deps.db, null)
  return `Removed ${plural(removed, 'object')}.`
}

function describeRestore(at: Date): string {
  return `This database was restored on ${at.toISOString()}. Objects stored after its backup was made have no row in it: is it the right backup?`
}

function describe({ kind, listed, orphans, bytes, sample }: Survey): string[] {
  if (orphans === 0)
    return [`${kind}: ${listed === 1 ? '' : 'all '}${plural(listed, 'object is', 'objects are')} in use`]
  const more = orphans > sample.length ? ['  …'] : []
  const head = `${kind}: no row refers to ${orphans} of ${plural(listed, 'object')} (${formatBytes(bytes)})`
  return [head, ...sample.map((key) => `  ${key}`), ...more]
}

/** Assigns the object store to this database; for operators who know that the failed check is wrong. */
export async function runAdoptStorage(deps: Deps, isConfirmed: boolean): Promise<string> {
  const fault = await findInstallationFault(deps)
  if (fault === null) return 'The object store already belongs to this database. There is nothing to do.'
  if (!isConfirmed) return fault
  const id = await adoptStore(deps)
  deps.log.warn('The object store was assigned to this database', { installation: id })
  return `The object store now belongs to this database (installation ${id}). Objects that no row refers to are swept after a day; \`playshelf sweep\` lists them.`
}
