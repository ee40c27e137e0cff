import type { Deps } from '../../deps.ts'
import { inBatches } from '../../lib/batches.ts'
import * as queries from './queries.ts'
import { freeUpload } from './service.ts'

const BATCH = 500
/** Objects that only rows of ours name. */
const PREFIXES = ['builds/', 'symbols/']
/** Rows follow their objects within hours: the longest session and its last chunk together. */
const KEEP_MS = 24 * 60 * 60 * 1000

/** How many there were of each. */
export interface Reclaimed {
  sessions: number
  uploads: number
  objects: number
}

export async function reclaim(deps: Deps, now: Date, signal: AbortSignal): Promise<Reclaimed> {
  const keptSince = new Date(now.getTime() - KEEP_MS)
  return {
    sessions: await endExpiredSessions(deps, now, signal),
    uploads: await deps.store.sweepUploads(keptSince),
    objects: await deleteOrphans(deps, keptSince, signal),
  }
}

async function endExpiredSessions(deps: Deps, now: Date, signal: AbortSignal): Promise<number> {
  for (let ended = 0; ;) {
    signal.throwIfAborted()
    const sessions = await queries.deleteExpiredSessions(deps.db, now, BATCH)
    for (const session of sessions) {
      if (session.fileUid === null) await freeUpload(deps, session)
    }
    ended += sessions.length
    if (sessions.length < BATCH) return ended
  }
}

/** Objects whose row was never written, or went without them. */
async function deleteOrphans(deps: Deps, writtenBefore: Date, signal: AbortSignal): Promise<number> {
  let deleted = 0
  for (const prefix of PREFIXES) {
    for await (const batch of inBatches(deps.store.list(prefix), BATCH)) {
      const old = batch.filter(({ modifiedAt }) => modifiedAt < writtenBefore).map(({ key }) => key)
      const named = await queries.listNamedKeys(deps.db, old)
      for (const key of old.filter((candidate) => !named.has(candidate))) {
        signal.throwIfAborted()
        await deps.store.delete(key)
        deleted += 1
      }
    }
  }
  return deleted
}
