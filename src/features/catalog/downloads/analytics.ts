import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { openGame } from '../../games/service.ts'
import { countByBuild, countEvents } from './count-queries.ts'
import type { Downloads } from './downloads.ts'
import type { DownloadCount, VersionCount } from './model.ts'
import { deleteEvents } from './queries.ts'

const RETENTION_DAYS = 400
const BATCH = 5000

/** For today and the days before it, in UTC. Flushes the attempts that this process has not written yet. */
export async function readDownloadCounts(
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
export async function readVersionCounts(
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
