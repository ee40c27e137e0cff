import type { Deps } from '../../../deps.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { foldBuild, listJudgedBuilds } from './queries.ts'
import { updateRating } from './rate-build.ts'

const BATCH = 500
const FIRST = '00000000-0000-0000-0000-000000000000'
/** Events are accepted for a day, so older sessions no longer change. */
const OPEN_MS = 3 * DAY_MS

/** Returns how many sessions were aggregated. Builds that an earlier version rated are rated again. */
export async function compactOldSessions(
  { db }: Pick<Deps, 'db'>,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const heardBefore = new Date(now.getTime() - OPEN_MS)
  let [after, compacted] = [FIRST, 0]
  for (;;) {
    const builds = await listJudgedBuilds(db, after, BATCH)
    for (const { buildUid, leftOut } of builds) {
      signal?.throwIfAborted()
      if (leftOut === null) await updateRating({ db }, buildUid, now)
      compacted += await foldBuild(db, buildUid, heardBefore)
    }
    const last = builds.at(-1)?.buildUid
    if (last === undefined || builds.length < BATCH) return compacted
    after = last
  }
}
