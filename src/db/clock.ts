import { sql } from 'drizzle-orm'

import type { Database } from './client.ts'

/** Tells when something happened by the clock of the database, which all processes share. */
interface DatabaseClock {
  /** `moment` is a value of `performance.now()` in this process. */
  toDatabaseTime(moment: number): Promise<Date>
}

/** How long a measurement is used before the next one. */
const FRESH_MS = 30_000
const SAMPLES_MAX = 8
/** Measured again in a row while it can be wrong by more, because a busy process reads late. */
const GOOD_MS = 0.5
const TRIES_MAX = 5
/** Clocks of machines drift apart by less than this share of the time that passes. */
const DRIFT = 0.0001

interface Sample {
  /** Milliseconds since 1970 by the database, less the monotonic clock of this process. */
  offset: number
  /** How far it can be wrong: the answer was made at some time between question and arrival. */
  error: number
  at: number
}

const clocks = new WeakMap<Database, DatabaseClock>()

/** One for each database, so that measurements are shared. */
export function clockOf(db: Database): DatabaseClock {
  const known = clocks.get(db) ?? createClock(() => loadDatabaseTime(db))
  clocks.set(db, known)
  return known
}

/**
 * The monotonic clock of the process is compared with the database, never its wall clock: processes whose clocks differ
 * give the same time. Of the newest measurements the one with the smallest error counts.
 */
export function createClock(
  readTime: () => Promise<number>,
  now: () => number = () => performance.now(),
): DatabaseClock {
  let samples: Sample[] = []
  let measuring: Promise<void> | undefined

  const errorAt = ({ error, at }: Sample, moment: number) => error + Math.abs(moment - at) * DRIFT

  async function measure(): Promise<void> {
    const taken: Sample[] = []
    for (let tries = 0; tries < TRIES_MAX && !taken.some(({ error }) => error < GOOD_MS); tries += 1) {
      const asked = now()
      const time = await readTime()
      const answered = now()
      taken.push({ offset: time - (asked + answered) / 2, error: (answered - asked) / 2, at: answered })
    }
    const [best] = taken.toSorted((a, b) => a.error - b.error)
    samples = [...samples, ...(best ? [best] : [])].slice(-SAMPLES_MAX)
  }

  return {
    async toDatabaseTime(moment) {
      if (now() - (samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) > FRESH_MS) {
        measuring ??= measure().finally(() => (measuring = undefined))
        await measuring
      }
      const [best] = samples.toSorted((a, b) => errorAt(a, moment) - errorAt(b, moment))
      if (!best) throw new Error('The clock of the database was not read')
      return new Date(moment + best.offset)
    },
  }
}

async function loadDatabaseTime(db: Database): Promise<number> {
  const [row] = await db.execute<{ ms: number }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  )
  return Number(row?.ms)
}
