import type { RateStore } from '../clients/rate-store/rate-store.ts'
import { AppError } from '../errors.ts'
import { type LimitName, type LimitRow, LIMITS } from './limit-table.ts'

type Awaitable<Value> = Value | Promise<Value>

/**
 * The subjects a request is counted by, per kind of row. Expensive ones may be functions, called only when
 * needed.
 */
export interface LimitSubject {
  ip: string
  visitor: () => string
  game: string | null | (() => Awaitable<string | null>)
  account: string | null
  account_and_listing: () => Promise<string | null>
  token: string
}

type HeaderSink = Record<string, string | number>

/**
 * Counts the request in every named row. The response headers show the row with the fewest requests
 * remaining.
 */
export async function countRequest(
  rates: RateStore,
  names: readonly LimitName[],
  subject: Partial<LimitSubject>,
  headers: HeaderSink,
): Promise<void> {
  let tightest: { row: LimitRow; remaining: number; reset: number } | undefined
  for (const name of names) {
    const row: LimitRow = LIMITS[name]
    const found = subjectOf(row, subject)
    const whom = found instanceof Promise ? await found : found
    if (whom === null)
      throw new Error(`The route of limit "${name}" must declare who may use it before the limit`)
    const pending = rates.add(`${name}:${whom}`, row.windowSeconds * 1000)
    const { count, resetMs } = pending instanceof Promise ? await pending : pending
    const state = { row, remaining: Math.max(0, row.max - count), reset: Math.ceil(resetMs / 1000) }
    if (count > row.max) {
      throw new AppError(row.error ?? 'rate_limited', {
        headers: { ...limitHeaders(state), 'retry-after': String(Math.max(1, state.reset)) },
      })
    }
    if (!tightest || state.remaining < tightest.remaining) tightest = state
  }
  const shown = headers['ratelimit-remaining']
  if (tightest && (shown === undefined || tightest.remaining < Number(shown)))
    Object.assign(headers, limitHeaders(tightest))
}

/** The subject of `account_and_listing`. */
export function listingSubject(account: string, listingUid: string): string {
  return `${account} ${listingUid}`
}

function limitHeaders(state: { row: LimitRow; remaining: number; reset: number }): Record<string, string> {
  return {
    'ratelimit-limit': String(state.row.max),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(state.reset),
  }
}

function subjectOf(row: LimitRow, subject: Partial<LimitSubject>): Awaitable<string | null> {
  if (row.per === 'everyone') return 'all'
  const whom = subject[row.per] ?? null
  return typeof whom === 'function' ? whom() : whom
}
