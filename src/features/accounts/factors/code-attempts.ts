import { addLastingCount } from '../../../db/rate-counts.ts'
import type { Deps } from '../../../deps.ts'
import { type LimitName, LIMITS } from '../../../domain/limit-table.ts'
import { AppError } from '../../../errors.ts'

export interface CodeCounter {
  name: LimitName
  subject: string
}

/**
 * Counts before the codes are checked, because attempts at the same time would all pass otherwise, and in Postgres, so
 * that neither several processes nor a restart give more of them.
 */
export async function withAttempt<Result>(
  { db }: Deps,
  counters: readonly CodeCounter[],
  check: () => Promise<Result | null>,
): Promise<Result | null> {
  const add = ({ name, subject }: CodeCounter, amount: number) =>
    addLastingCount(db, `${name}:${subject}`, LIMITS[name].windowSeconds * 1000, amount)
  for (const counter of counters) {
    const { count, resetMs } = await add(counter, 1)
    if (count > LIMITS[counter.name].max) throw tooMany(resetMs)
  }
  const result = await check()
  if (result !== null) for (const counter of counters) await add(counter, -1)
  return result
}

function tooMany(resetMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  const minutes = Math.ceil(seconds / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  const message = `Too many wrong codes for this account. Wait ${wait}, use a passkey, or set a new password by mail.`
  return new AppError('rate_limited', {
    message,
    data: { issues: [{ path: 'code', message }] },
    headers: { 'retry-after': String(seconds) },
  })
}
