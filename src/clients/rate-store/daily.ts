import type { Db } from '../../db/client.ts'
import { addLastingCount } from '../../db/rate-counts.ts'
import { DAY_MS } from '../../lib/utc-days.ts'
import type { RateStore } from './rate-store.ts'

/** Counts windows of a day in Postgres, so that a restart does not forget them, and shorter ones in `rates`. */
export function countDaysIn(db: Db, rates: RateStore): RateStore {
  return {
    ...rates,
    add: (key, windowMs, amount) =>
      windowMs >= DAY_MS ? addLastingCount(db, key, windowMs, amount) : rates.add(key, windowMs, amount),
  }
}
