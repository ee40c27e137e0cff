import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { indexListings } from '../../games/jobs.ts'
import { listPublicAfter, writePopularity } from './popularity-queries.ts'

const DAYS = 30
const BATCH = 500
const FIRST_UID = '00000000-0000-0000-0000-000000000000'

/** Recomputes the popularity of all public listings and returns how many changed. Only those are indexed again. */
export async function updatePopularity(
  { db }: Pick<Deps, 'db'>,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const since = new Date(now.getTime() - DAYS * DAY_MS)
  for (let [after, changed] = [FIRST_UID, 0]; ;) {
    signal?.throwIfAborted()
    const uids = await listPublicAfter(db, after, BATCH)
    const last = uids.at(-1)
    if (last === undefined) return changed
    after = last
    const count = await writePopularity(db, uids, since)
    if (count > 0) await enqueue(db, indexListings, {})
    changed += count
  }
}
