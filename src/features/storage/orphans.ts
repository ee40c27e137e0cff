import type { ObjectInfo } from '../../clients/object-store/object-store.ts'
import { ensureInstallation } from '../../clients/object-store/storage-owner.ts'
import type { Deps } from '../../deps.ts'
import { inBatches } from '../../lib/flow/batches.ts'
import { DAY_MS } from '../../lib/utc-days.ts'
import * as queries from './queries.ts'
import { removeObject } from './remove.ts'

type Services = Pick<Deps, 'db' | 'store'>

/** Each kind has its own key prefix, and only our rows refer to it. */
const KINDS = ['builds', 'symbols', 'images', 'screenshots'] as const
type Kind = (typeof KINDS)[number]

const BATCH = 500
const SAMPLE = 5
/** More than this share and count cannot be left over from failed uploads: rows must be missing. */
const SHARE_MAX = 0.1
const COUNT_MAX = 25
/** A row is written hours after its object at most: the longest session plus its last chunk. */
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
  { db, store }: Services,
  kind: Kind,
  writtenBefore: Date,
): AsyncGenerator<{ listed: number; orphans: ObjectInfo[] }> {
  for await (const batch of inBatches(store.list(`${kind}/`), BATCH)) {
    const old = batch.filter(({ modifiedAt }) => modifiedAt < writtenBefore)
    const named = await queries.listNamedKeys(
      db,
      old.map(({ key }) => key),
    )
    yield { listed: batch.length, orphans: old.filter(({ key }) => !named.has(key)) }
  }
}
