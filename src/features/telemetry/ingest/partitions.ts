import type { Database } from '../../../db/client.ts'
import { DAY_MS, dayOf } from '../../../lib/utc-days.ts'
import { createPartition, dropPartition, listPartitions, lockPartitions } from './partition-queries.ts'

/** Events are accepted one day back and one day ahead; the further days are a margin for the job. */
const DAYS_BACK = 1
const DAYS_AHEAD = 3
const RETENTION_DAYS = 30

/** Creates the partition of every day that an event can have now or soon. Idempotent. */
export async function preparePartitions(db: Database, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPartitions(tx)
    const existing = new Set(await listPartitions(tx))
    for (let offset = -DAYS_BACK; offset <= DAYS_AHEAD; offset += 1) {
      const [day, dayAfter] = [dayOf(now + offset * DAY_MS), dayOf(now + (offset + 1) * DAY_MS)]
      if (!existing.has(day)) await createPartition(tx, day, dayAfter)
    }
  })
}

/** Returns the days that were dropped. */
export async function dropOldPartitions(db: Database, now: number): Promise<string[]> {
  const oldest = dayOf(now - RETENTION_DAYS * DAY_MS)
  const old = (await listPartitions(db)).filter((day) => day < oldest)
  for (const day of old) await dropPartition(db, day)
  return old
}
