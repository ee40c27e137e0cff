import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { pinVersions } from '../jobs.ts'
import * as queries from './pin-queries.ts'

const JAMS_PER_RUN = 20
const BATCH = 50
/** The next run by the clock of the schedule comes within this time. */
const RUNS_APART_SECONDS = 70
const SCAN_LOOKS_APART_MS = 5000

/**
 * Fixes the versions of all entries of the jams that have ended. Every step reads the jam again, because hosts may move
 * it, and repeating a step changes nothing.
 */
export async function pinDue(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db } = deps
  await queries.releaseMovedPins(db)
  const due = await queries.listDueJams(db, JAMS_PER_RUN)
  for (const { uid, isScanning } of due) {
    if (!isScanning) await pinJam(deps, uid, signal)
  }
  if (due.some(({ isScanning }) => isScanning) || due.length === JAMS_PER_RUN)
    await runAt(deps, new Date(Date.now() + SCAN_LOOKS_APART_MS), 'again')
  for (const at of await queries.listNextPins(db, RUNS_APART_SECONDS, JAMS_PER_RUN))
    await runAt(deps, at, at.toISOString())
}

async function runAt({ db }: Deps, at: Date, name: string): Promise<void> {
  await enqueue(db, pinVersions, {}, { runAt: at, key: `${pinVersions.name} ${name}`, keepsRunAt: true })
}

async function pinJam({ db }: Deps, uid: string, signal: AbortSignal): Promise<void> {
  for (let after: string | null = null; ;) {
    signal.throwIfAborted()
    const last: string | null | undefined = await db.transaction((tx) => pinBatch(tx, uid, after))
    // Moved, or fixed by another process.
    if (last === undefined) return
    if (last === null) break
    after = last
  }
  await db.transaction(async (tx) => {
    if (!(await queries.holdDueJam(tx, uid, 'no key update'))) return
    await pinRest(tx, uid)
    await queries.markPinned(tx, uid)
  })
}

/** Also entries that were sent before the end and stored since then, which may stand behind others without a build. */
async function pinRest(tx: Transaction, uid: string): Promise<void> {
  for (let after: string | undefined | null = null; after !== undefined;) {
    const entries: string[] = await queries.listUnpinned(tx, uid, after, BATCH)
    await pinEntries(tx, entries)
    after = entries.at(-1)
  }
}

/** Returns the last entry of the batch; null if there was none, undefined if the jam is no longer due. */
async function pinBatch(
  tx: Transaction,
  uid: string,
  after: string | null,
): Promise<string | null | undefined> {
  if (!(await queries.holdDueJam(tx, uid, 'share'))) return undefined
  const entries = await queries.listUnpinned(tx, uid, after, BATCH)
  await pinEntries(tx, entries)
  return entries.at(-1) ?? null
}

/** Fixes the versions of these entries where they have none. */
export async function pinEntries(tx: Transaction, entryUids: readonly string[]): Promise<void> {
  if (entryUids.length === 0) return
  await queries.holdBuilds(tx, entryUids)
  await queries.insertPins(tx, entryUids)
}
