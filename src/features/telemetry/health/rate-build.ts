import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { notifyChange } from '../../games/service.ts'
import { bandOf } from './bands.ts'
import { countDevices } from './count-queries.ts'
import { rateBuild } from './jobs.ts'
import * as queries from './queries.ts'

/** A build is rated at the end of the slot in which data arrived, so at most once per slot. */
const SLOT_MS = 30_000
/** Time for the slot's transactions to commit. */
const SETTLE_MS = 3000

export function slotOf(now: number): number {
  return Math.floor(now / SLOT_MS)
}

/** Must be the last step of the transaction that wrote the data. Sorted, to avoid deadlocks. */
export async function requestRating(db: Db, buildUids: Iterable<string>, slot: number): Promise<void> {
  const runAt = new Date((slot + 1) * SLOT_MS + SETTLE_MS)
  for (const buildUid of [...buildUids].sort()) {
    await enqueue(db, rateBuild, { buildUid }, { runAt, key: `health:${buildUid}:${slot}` })
  }
}

/** Rates the build over its whole life. */
export async function updateRating({ db }: Pick<Deps, 'db'>, buildUid: string, now: Date): Promise<void> {
  const [game, counted, medianSessionS] = await Promise.all([
    queries.findGameOfBuild(db, buildUid),
    countDevices(db, buildUid),
    queries.findMedianSession(db, buildUid),
  ])
  // Deleted meanwhile.
  if (!game) return
  const { gameUid, isMain } = game
  const { firstBootAt, ...counts } = counted
  const band = bandOf(counts)
  await db.transaction(async (tx) => {
    // A server that was started does not mean that somebody played.
    if (firstBootAt !== null && isMain) await queries.storeFirstBoot(tx, gameUid, firstBootAt)
    const before = await queries.findHealth(tx, buildUid)
    const health = { buildUid, band, ...counts, medianSessionS, judgedAt: now }
    const isNewest = await queries.storeHealth(tx, health)
    if (isNewest && band !== (before?.band ?? 'unrated')) await notifyChange(tx, gameUid)
  })
}
