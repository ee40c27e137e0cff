import {
  type EventPage,
  type PaymentEvent,
  type Payments,
  PaymentsFailure,
} from '../../../clients/stripe/payments.ts'
import type { Deps } from '../../../deps.ts'
import * as queries from './queries.ts'
import { takeIn } from './service.ts'

/** An event has this long to come by itself. Stripe's list is complete by then. */
const LATE_MS = 2 * 60_000
/** Of 100 events; the next run goes on where this one ends. */
const PAGES_MAX = 20

/**
 * Reads Stripe's list of events on from the last one that was read, and takes in what was never delivered: without a
 * working webhook the store still learns of payments, refunds and disputes within minutes.
 */
export async function takeInMissed(deps: Deps, signal: AbortSignal): Promise<void> {
  const { payments } = deps
  if (!payments) return
  const read = createReader(deps, payments, signal)
  const last = await queries.findLastListed(deps.db)
  try {
    if (last === null || !(await readNewer(deps, read, last))) await readNewest(deps, read)
  } catch (error) {
    if (!(error instanceof PaymentsFailure)) throw error
    deps.log.warn('Stripe could not be asked for its events', { error })
  }
}

type ReadPage = (page: Omit<EventPage, 'until'>) => Promise<{ events: PaymentEvent[]; hasMore: boolean }>

function createReader(deps: Deps, payments: Payments, signal: AbortSignal): ReadPage {
  const until = new Date(Date.now() - LATE_MS)
  return async (page) => {
    signal.throwIfAborted()
    const found = await payments.listEvents({ ...page, until })
    await takeIn(deps.db, found.events)
    return found
  }
}

/** Returns false when Stripe no longer knows the event: it is older than 30 days, or of another account. */
async function readNewer({ db }: Deps, read: ReadPage, last: string): Promise<boolean> {
  let newerThan = last
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await read({ newerThan }).catch((error: unknown) => {
      if (page === 0 && error instanceof PaymentsFailure && error.kind === 'refused') return null
      throw error
    })
    if (!found) return false
    const newest = found.events[0]
    if (!newest) break
    newerThan = newest.id
    await queries.setLastListed(db, newerThan)
    if (!found.hasMore) break
  }
  return true
}

async function readNewest({ db }: Deps, read: ReadPage): Promise<void> {
  let olderThan: string | undefined
  let newest: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { events, hasMore } = await read(olderThan === undefined ? {} : { olderThan })
    newest ??= events[0]?.id
    olderThan = events.at(-1)?.id
    if (!hasMore || olderThan === undefined) break
  }
  if (newest !== undefined) await queries.setLastListed(db, newest)
}
