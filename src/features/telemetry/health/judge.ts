import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { notifyChange } from '../../games/service.ts'
import { bandOf } from './bands.ts'
import { judgeBuild } from './jobs.ts'
import * as queries from './queries.ts'

/** New data is judged at the end of the slot it came in, so that a busy build is judged once in a slot. */
const SLOT_MS = 30_000
/** Long enough for what the slot wrote to be committed. */
const SETTLE_MS = 3000

export function slotOf(now: number): number {
  return Math.floor(now / SLOT_MS)
}

/** Call as the last step of the transaction that wrote the data. Always in the same order, so that nobody waits in a circle. */
export async function requestJudging(db: Db, buildUids: Iterable<string>, slot: number): Promise<void> {
  const runAt = new Date((slot + 1) * SLOT_MS + SETTLE_MS)
  for (const buildUid of [...buildUids].sort()) {
    await enqueue(db, judgeBuild, { buildUid }, { runAt, key: `health:${buildUid}:${slot}` })
  }
}

/** Over the build's whole life. */
export async function judge({ db }: Pick<Deps, 'db'>, buildUid: string, now: Date): Promise<void> {
  const [gameUid, counted, medianSessionS] = await Promise.all([
    queries.findGameOfBuild(db, buildUid),
    queries.countDevices(db, buildUid),
    queries.findMedianSession(db, buildUid),
  ])
  // Deleted since.
  if (gameUid === undefined) return
  const { firstBootAt, shared, ...counts } = counted
  const band = bandOf(shared)
  const sharedBootOk = Math.floor(shared.bootOk)
  await db.transaction(async (tx) => {
    if (firstBootAt !== null) await queries.storeFirstBoot(tx, gameUid, firstBootAt)
    const before = await queries.findHealth(tx, buildUid)
    const health = { buildUid, band, ...counts, sharedBootOk, medianSessionS, judgedAt: now }
    const isNewest = await queries.storeHealth(tx, health)
    if (isNewest && band !== (before?.band ?? 'unrated')) await notifyChange(tx, gameUid)
  })
}
