import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { computeResults } from '../../../domain/jams/results.ts'
import { notifyPages } from '../../games/service.ts'
import { type JamRow, markJamChanged } from '../access.ts'
import { markFaults } from '../rating/faults.ts'
import * as queries from './queries.ts'

/**
 * Computes the results of every jam whose voting has ended. Each has a transaction of its own, in which it is read
 * again, because hosts may have moved its times; a process that is killed leaves nothing behind.
 */
export async function computeDue(deps: Pick<Deps, 'db' | 'log'>, signal: AbortSignal): Promise<void> {
  for (const uid of await queries.listDue(deps.db)) {
    if (signal.aborted) return
    await deps.db.transaction(async (tx) => {
      const jam = await queries.lockDue(tx, uid)
      if (jam) await computeFirst(tx, jam)
    })
  }
}

async function computeFirst(tx: Transaction, jam: JamRow): Promise<void> {
  await markFaults(tx, jam)
  await storeResults(tx, jam)
  // From here on only the stored reasons decide, so that a recount gives the same.
  await queries.dropNetworks(tx, jam.uid)
  await queries.markComputed(tx, jam.uid)
  if (!jam.resultsHeld) await publishResults(tx, jam)
}

/** Replaces the stored results with those of the votes that count. */
export async function storeResults(tx: Transaction, jam: JamRow): Promise<void> {
  const entries = await queries.listEntries(tx, jam.uid)
  const votes = await queries.listCountedVotes(tx, jam.uid)
  const { median, results } = computeResults(jam, entries, votes)
  await queries.replaceResults(tx, jam.uid, results)
  await queries.setMedian(tx, jam.uid, median)
  await notifyPages(
    tx,
    entries.map(({ gameUid }) => gameUid),
  )
}

/** After an act of a host that changes what counts; nothing before the results are there. */
export async function recomputeAfter(tx: Transaction, jam: JamRow): Promise<void> {
  if (jam.computedAt !== null) await storeResults(tx, jam)
}

/** Those who joined are told by the job that follows the times of jams. */
export async function publishResults(tx: Transaction, { uid }: Pick<JamRow, 'uid'>): Promise<void> {
  await queries.markPublished(tx, uid)
  await markJamChanged(tx, uid)
}
