import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { openGame } from '../../games/service.ts'
import type { DownloadCount, VersionCount } from './model.ts'
import { countByBuild, countByDay, countEvents, deleteEvents } from './queries.ts'
import type { Downloads } from './service.ts'

const RETENTION_DAYS = 400
const BATCH = 5000

/** For today and the days before it, in UTC. Flushes the attempts that this process has not written yet. */
export async function loadDownloadCounts(
  { deps, log }: Downloads,
  user: WebsiteUser,
  ref: string,
  days: number,
  page: Page,
): Promise<Paged<DownloadCount>> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  await log.flush()
  const { rows, total } = await countEvents(deps.db, game.uid, startOf(days), page)
  return paged(page, rows, total)
}

/** The same per build; downloads of deleted builds are not included. */
export async function loadVersionCounts(
  { deps, log }: Downloads,
  user: WebsiteUser,
  ref: string,
  days: number,
  page: Page,
): Promise<Paged<VersionCount>> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  await log.flush()
  const { rows, total } = await countByBuild(deps.db, game.uid, startOf(days), page)
  const items = rows.map(({ buildUid, appName, ...row }) => ({
    build_id: buildUid,
    app_name: appName,
    ...row,
  }))
  return paged(page, items, total)
}

function startOf(days: number): Date {
  const today = Math.floor(Date.now() / DAY_MS)
  return new Date((today - days + 1) * DAY_MS)
}

/** Returns how many expired attempts it deleted. */
export async function deleteOldEvents({ db }: Pick<Deps, 'db'>, signal: AbortSignal): Promise<number> {
  const olderThan = new Date(Date.now() - RETENTION_DAYS * DAY_MS)
  let removed = 0
  for (;;) {
    signal.throwIfAborted()
    const count = await deleteEvents(db, olderThan, BATCH)
    removed += count
    if (count < BATCH) return removed
  }
}

const SERVED = 200

export interface DownloadTotals {
  /** Every day, also those without any attempt; oldest first. Refusals by error code. */
  days: { day: string; served: number; refused: number; refusals: ReadonlyMap<number, number> }[]
  /** Attempts that were refused, by error code; the most frequent first. */
  refusals: { outcome: number; count: number }[]
}

/** For charts: today and the days before it, in UTC. */
export async function loadDownloadTotals(
  { deps, log }: Downloads,
  user: WebsiteUser,
  ref: string,
  days: number,
): Promise<DownloadTotals> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  await log.flush()
  const first = Math.floor(Date.now() / DAY_MS) - days + 1
  const rows = await countByDay(deps.db, game.uid, new Date(first * DAY_MS))
  const sum = (counts: readonly { count: number }[]) => counts.reduce((total, { count }) => total + count, 0)
  const byDay = Map.groupBy(rows, ({ day }) => day)
  const refused = Map.groupBy(
    rows.filter(({ outcome }) => outcome !== SERVED),
    ({ outcome }) => outcome,
  )
  return {
    days: Array.from({ length: days }, (_, index) => {
      const day = new Date((first + index) * DAY_MS).toISOString().slice(0, 10)
      const own = byDay.get(day) ?? []
      const served = sum(own.filter(({ outcome }) => outcome === SERVED))
      const refusals = new Map(own.map(({ outcome, count }) => [outcome, count]))
      refusals.delete(SERVED)
      return { day, served, refused: sum(own) - served, refusals }
    }),
    refusals: [...refused]
      .map(([outcome, counts]) => ({ outcome, count: sum(counts) }))
      .toSorted((a, b) => b.count - a.count),
  }
}
