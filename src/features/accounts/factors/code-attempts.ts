import type { Deps } from '../../../deps.ts'
import { type LimitName, LIMITS } from '../../../domain/limit-table.ts'
import { AppError } from '../../../errors.ts'

interface Counter {
  name: LimitName
  subject: string
}

/** Counts before the codes are checked, because attempts at the same time would all pass otherwise. */
export async function withAttempt<Result>(
  { rates }: Deps,
  counters: readonly Counter[],
  check: () => Promise<Result | null>,
): Promise<Result | null> {
  const add = ({ name, subject }: Counter, amount: number) =>
    rates.add(`${name}:${subject}`, LIMITS[name].windowSeconds * 1000, amount)
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
  const message = `Too many wrong codes. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, or use a passkey or a recovery code.`
  return new AppError('rate_limited', {
    message,
    data: { issues: [{ path: 'code', message }] },
    headers: { 'retry-after': String(seconds) },
  })
}
