import type { WebsiteUser } from '../../../domain/actor.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { openGame } from '../../games/service.ts'
import type { Downloads } from './downloads.ts'
import { countByDay } from './total-queries.ts'

const SERVED = 200

export interface DownloadTotals {
  /** Every day, also those without any attempt; oldest first. Refusals by error code. */
  days: { day: string; served: number; refused: number; refusals: ReadonlyMap<number, number> }[]
  /** Attempts that were refused, by error code; the most frequent first. */
  refusals: { outcome: number; count: number }[]
}

/** For charts: today and the days before it, in UTC. */
export async function readDownloadTotals(
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
