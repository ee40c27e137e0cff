import type { ObjectInfo } from '../../clients/objects/object-store.ts'
import { ensureInstallation } from '../../clients/objects/storage-owner.ts'
import { saveHeldSweep } from '../../db/installation.ts'
import type { Deps } from '../../deps.ts'
import { inBatches } from '../../lib/flow/batches.ts'
import { DAY_MS } from '../../lib/time.ts'
import { findRecentRestore } from './backup-notes.ts'
import * as queries from './queries.ts'
import { endExpiredReservations } from './quota.ts'
import { releaseUpload, removeObject } from './service.ts'

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
 * Deletes nothing if the object store belongs to another installation, if the database was restored within a
 * week, or if there are so many orphans that rows must be missing.
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
    uploads: await deps.objects.sweepUploads(writtenBefore),
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

type Services = Pick<Deps, 'db' | 'objects'>

/** Each kind has its own key prefix, and only our rows refer to it. */
const KINDS = ['builds', 'symbols', 'images', 'videos', 'screenshots', 'saves'] as const
type Kind = (typeof KINDS)[number]

const SAMPLE = 5
/** If both are exceeded, the orphans are not left over from failed uploads: rows must be missing. */
const SHARE_MAX = 0.1
const COUNT_MAX = 25
/** Younger objects are kept: their row may follow hours later (the longest session plus its last chunk). */
const YOUNG_MS = DAY_MS

/** How many objects of a kind there are, and how many are orphaned. */
export interface Survey {
  kind: Kind
  listed: number
  orphans: number
  bytes: number
  /** Some keys of the orphans. */
  sample: string[]
}

/** Newer objects may still get their row. */
export function orphanedBefore(now: Date): Date {
  return new Date(now.getTime() - YOUNG_MS)
}

export async function surveyObjects(
  deps: Services,
  writtenBefore: Date,
  signal?: AbortSignal,
): Promise<Survey[]> {
  const surveys: Survey[] = []
  for (const kind of KINDS) {
    const survey: Survey = { kind, listed: 0, orphans: 0, bytes: 0, sample: [] }
    for await (const { listed, orphans } of findOrphans(deps, kind, writtenBefore)) {
      signal?.throwIfAborted()
      survey.listed += listed
      survey.orphans += orphans.length
      survey.bytes += orphans.reduce((sum, { size }) => sum + size, 0)
      survey.sample.push(...orphans.slice(0, SAMPLE - survey.sample.length).map(({ key }) => key))
    }
    surveys.push(survey)
  }
  return surveys
}

export function isTooMuch({ listed, orphans }: Survey): boolean {
  return orphans > COUNT_MAX && orphans > listed * SHARE_MAX
}

/** Removes no more than the survey counted, nor more than `max` per kind. Returns how many it removed. */
export async function removeOrphans(
  deps: Services,
  surveys: readonly Survey[],
  writtenBefore: Date,
  max: number,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  for (const survey of surveys) {
    let left = Math.min(survey.orphans, max)
    if (left === 0) continue
    for await (const { orphans } of findOrphans(deps, survey.kind, writtenBefore)) {
      const due = orphans.slice(0, left)
      if (due.length > 0) await ensureInstallation(deps)
      for (const { key } of due) {
        signal?.throwIfAborted()
        if (await removeObject(deps, key)) removed += 1
      }
      left -= due.length
      if (left === 0) break
    }
  }
  return removed
}

/** In batches, so that memory use does not depend on the number of objects. */
async function* findOrphans(
  { db, objects }: Services,
  kind: Kind,
  writtenBefore: Date,
): AsyncGenerator<{ listed: number; orphans: ObjectInfo[] }> {
  for await (const batch of inBatches(objects.list(`${kind}/`), BATCH)) {
    const old = batch.filter(({ modifiedAt }) => modifiedAt < writtenBefore)
    const named = await queries.listNamedKeys(
      db,
      old.map(({ key }) => key),
    )
    yield { listed: batch.length, orphans: old.filter(({ key }) => !named.has(key)) }
  }
}
