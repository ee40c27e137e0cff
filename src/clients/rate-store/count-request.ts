import type { Transaction } from '../../db/client.ts'
import { addLastingCount } from '../../db/rate-counts.ts'
import { DAY, type LimitName, type LimitRow, LIMITS, rowsFrom } from '../../domain/limit-table.ts'
import { AppError } from '../../errors.ts'
import type { RateCount, RateStore } from './rate-store.ts'

/** Returns what a request is counted by; called only for the kinds of row that need it. */
type SubjectOf = (per: LimitRow['per']) => string | null | Promise<string | null>

type HeaderSink = Record<string, string | number>

/**
 * Counts the request in every named row and those around it. The response headers show the row with the fewest requests
 * remaining.
 */
export async function countRequest(
  rates: RateStore,
  names: readonly LimitName[],
  subjectOf: SubjectOf,
  headers: HeaderSink,
): Promise<void> {
  let tightest: State | undefined
  for (const given of names) {
    for (const name of rowsFrom(given)) {
      const row: LimitRow = LIMITS[name]
      const found = row.per === 'everyone' ? 'all' : subjectOf(row.per)
      const whom = found instanceof Promise ? await found : found
      if (whom === null)
        throw new Error(`The route of limit "${name}" must declare who may use it before the limit`)
      const pending = rates.add(`${name}:${whom}`, row.windowSeconds * 1000)
      const state = judge(row, pending instanceof Promise ? await pending : pending)
      if (!tightest || state.remaining < tightest.remaining) tightest = state
    }
  }
  const shown = headers['ratelimit-remaining']
  if (tightest && (shown === undefined || tightest.remaining < Number(shown)))
    Object.assign(headers, limitHeaders(tightest))
}

/** Counts the request in one row, or as many as it makes; at once where the counters are in memory. */
export function countInRow(
  rates: RateStore,
  name: LimitName,
  subject: string,
  amount = 1,
): void | Promise<void> {
  const row = LIMITS[name]
  const pending = rates.add(`${name}:${subject}`, row.windowSeconds * 1000, amount)
  if (pending instanceof Promise) return pending.then((counted) => void judge(row, counted))
  judge(row, pending)
}

interface State {
  row: LimitRow
  remaining: number
  reset: number
}

function judge(row: LimitRow, { count, resetMs }: RateCount): State {
  const state = { row, remaining: Math.max(0, row.max - count), reset: Math.ceil(resetMs / 1000) }
  if (count <= row.max) return state
  throw new AppError(row.error ?? 'rate_limited', {
    ...(row.windowSeconds >= DAY && {
      message: `The limit of ${row.max} a day is reached. ${againAfter(resetMs)}`,
    }),
    headers: { ...limitHeaders(state), 'retry-after': String(Math.max(1, state.reset)) },
  })
}

/**
 * Counts in the transaction of a change that pages, routes and tools share. `rule` says what is limited: "You can
 * rename 10 times a day."
 */
export async function countLasting(
  tx: Transaction,
  name: 'rename' | 'new_project' | 'post_publication',
  subject: string,
  rule: string,
): Promise<void> {
  const row = LIMITS[name]
  const { count, resetMs } = await addLastingCount(tx, `${name}:${subject}`, row.windowSeconds * 1000)
  if (count <= row.max) return
  const reset = Math.max(1, Math.ceil(resetMs / 1000))
  throw new AppError('rate_limited', {
    message: `${rule} ${againAfter(resetMs)}`,
    headers: { ...limitHeaders({ row, remaining: 0, reset }), 'retry-after': String(reset) },
  })
}

function againAfter(resetMs: number): string {
  const end = new Date(Date.now() + resetMs).toISOString().slice(0, 16).replace('T', ' ')
  return `Try again after ${end} UTC.`
}

/** The subject of `account_and_listing`. */
export function listingSubject(account: string, listingUid: string): string {
  return `${account} ${listingUid}`
}

function limitHeaders(state: State): Record<string, string> {
  return {
    'ratelimit-limit': String(state.row.max),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(state.reset),
  }
}
