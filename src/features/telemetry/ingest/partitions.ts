import type { Database } from '../../../db/client.ts'
import { createPartition, dropPartition, listPartitions, lockPartitions } from './partition-queries.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** An event may lie a day before and a day after now; the rest gives the job time to come again. */
const DAYS_BACK = 1
const DAYS_AHEAD = 3
const DAYS_KEPT = 30

/** Every day that an event may have now, or soon. Whoever comes second finds them made. */
export async function preparePartitions(db: Database, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPartitions(tx)
    const known = new Set(await listPartitions(tx))
    for (let offset = -DAYS_BACK; offset <= DAYS_AHEAD; offset += 1) {
      const [day, dayAfter] = [dayOf(now + offset * DAY_MS), dayOf(now + (offset + 1) * DAY_MS)]
      if (!known.has(day)) await createPartition(tx, day, dayAfter)
    }
  })
}

/** Answers the days that were forgotten. */
export async function dropOldPartitions(db: Database, now: number): Promise<string[]> {
  const oldest = dayOf(now - DAYS_KEPT * DAY_MS)
  const old = (await listPartitions(db)).filter((day) => day < oldest)
  for (const day of old) await dropPartition(db, day)
  return old
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
