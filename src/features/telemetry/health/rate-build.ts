import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { HEALTH_BANDS, type HealthBand } from '../../../domain/builds/health.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { notifyChange } from '../../games/service.ts'
import { rateBuild } from '../jobs.ts'
import { DEVICES_MIN } from './model.ts'
import * as queries from './queries.ts'

/** A build is rated at the end of the slot in which data arrived, so at most once per slot. */
const SLOT_MS = 30_000
/** Time for the slot's transactions to commit. */
const SETTLE_MS = 3000
/** The minimum percentage of devices that sent boot_ok, and the maximum that crashed before it. */
const THRESHOLDS: readonly (readonly [band: HealthBand, booted: number, crashed: number])[] = [
  ['excellent', 98, 1],
  ['healthy', 93, 3],
  ['mixed', 80, 10],
]
const BATCH = 500
const FIRST = '00000000-0000-0000-0000-000000000000'
/** Events are accepted for a day, so older sessions no longer change. */
const OPEN_MS = 3 * DAY_MS

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
    queries.countDevices(db, buildUid),
    queries.findMedianSession(db, buildUid),
  ])
  // The build was deleted in the meantime.
  if (!game) return
  const { gameUid, isMain } = game
  const { firstBootAt, ...counts } = counted
  const band = bandOf(counts)
  await db.transaction(async (tx) => {
    // Only the main app counts: servers and tools also send boot_ok.
    if (firstBootAt !== null && isMain) await queries.storeFirstBoot(tx, gameUid, firstBootAt)
    const before = await queries.findHealth(tx, buildUid)
    const health = { buildUid, band, ...counts, medianSessionS, judgedAt: now }
    const isNewest = await queries.storeHealth(tx, health)
    if (isNewest && band !== (before?.band ?? 'unrated')) await notifyChange(tx, gameUid)
  })
}

interface LaunchCounts {
  devices: number
  bootOk: number
  crashed: number
}

export function bandOf({ devices, bootOk, crashed }: LaunchCounts): HealthBand {
  if (devices < DEVICES_MIN) return 'unrated'
  const reached = THRESHOLDS.find(
    ([, leastBooted, mostCrashed]) =>
      bootOk * 100 >= leastBooted * devices && crashed * 100 <= mostCrashed * devices,
  )
  return reached?.[0] ?? 'problematic'
}

/** Ignores unrated builds if there is a rated one. */
export function worstBand(bands: readonly HealthBand[]): HealthBand {
  return HEALTH_BANDS.find((band) => bands.includes(band)) ?? 'unrated'
}

/** Returns how many sessions were aggregated. Builds that an earlier version rated are rated again. */
export async function compactOldSessions(
  { db }: Pick<Deps, 'db'>,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const heardBefore = new Date(now.getTime() - OPEN_MS)
  let [after, compacted] = [FIRST, 0]
  for (;;) {
    const builds = await queries.listJudgedBuilds(db, after, BATCH)
    for (const { buildUid, leftOut } of builds) {
      signal?.throwIfAborted()
      if (leftOut === null) await updateRating({ db }, buildUid, now)
      compacted += await queries.foldBuild(db, buildUid, heardBefore)
    }
    const last = builds.at(-1)?.buildUid
    if (last === undefined || builds.length < BATCH) return compacted
    after = last
  }
}
