import {
  type EventPage,
  type PaymentEvent,
  type Payments,
  PaymentsFailure,
} from '../../../clients/stripe/payments.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { enqueueAll } from '../../../jobs/queue.ts'
import { coalesceMany } from '../../../lib/flow/coalesce.ts'
import { enqueueSettling } from '../orders/settle.ts'
import { syncPayouts } from '../payouts/jobs.ts'
import { requirePayments } from '../payouts/service.ts'
import * as queries from './queries.ts'

/** Events per transaction. */
const BATCH = 200
/** The pause between two transactions while events keep coming. */
const APART_MS = 50
/** Younger events may still be delivered; older ones are complete in Stripe's list. */
const LATE_MS = 2 * 60_000
/** Pages of 100 events per run; the next run continues. */
const PAGES_MAX = 20

type ReceiveEvent = (body: string, signature: string) => Promise<void>

/**
 * Resolves when the event is stored and its job enqueued. Events that arrive together share a transaction, so
 * that a burst uses one connection and leaves the others for pages.
 */
export function createReceiver(deps: Deps): ReceiveEvent {
  const waiting = new Map<string, PaymentEvent>()
  const store = coalesceMany(async (ids) => {
    const events = ids.flatMap((id) => waiting.get(id) ?? [])
    for (const id of ids) waiting.delete(id)
    await storeEvents(deps.db, events)
    return new Map()
  }, APART_MS)
  return async (body, signature) => {
    const event = await requirePayments(deps).readEvent(body, signature)
    if (!event) {
      throw new AppError('invalid_request', {
        message:
          'This is no event that Stripe signed with our secret in the last five minutes, or it is larger than one can be.',
      })
    }
    if (!event.subject) return
    waiting.set(event.id, event)
    await store([event.id])
  }
}

/** Stores each event once, and enqueues the work for it. */
export async function storeEvents(db: Db, events: readonly PaymentEvent[]): Promise<void> {
  // In the same order everywhere, so that processes with the same events do not block each other.
  const sorted = events
    .filter(({ subject }) => subject !== null)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  for (let start = 0; start < sorted.length; start += BATCH) {
    const batch = sorted.slice(start, start + BATCH)
    await db.transaction(async (tx) => {
      const added = await queries.insertEvents(tx, batch)
      const subjects = batch.flatMap(({ id, subject }) => (subject && added.has(id) ? [subject] : []))
      await enqueueSettling(
        tx,
        subjects.filter((subject) => subject.kind !== 'account'),
      )
      const accounts = subjects.flatMap((subject) =>
        subject.kind === 'account' ? [{ accountId: subject.accountId }] : [],
      )
      await enqueueAll(
        tx,
        syncPayouts,
        accounts.map((payload) => ({ key: `account ${payload.accountId}`, payload })),
      )
    })
  }
}

/**
 * Continues reading Stripe's list of events and stores those that were not delivered. So the store learns of
 * payments, refunds and disputes within minutes even if the webhook does not work.
 */
export async function fetchMissedEvents(deps: Deps, signal: AbortSignal): Promise<void> {
  const { payments } = deps
  if (!payments) return
  const read = createReader(deps, payments, signal)
  const last = await queries.findLastListed(deps.db)
  try {
    if (last === null || !(await loadNewer(deps, read, last))) await loadNewest(deps, read)
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
    await storeEvents(deps.db, found.events)
    return found
  }
}

/** Returns false if Stripe does not know the last event: it is older than 30 days, or of another account. */
async function loadNewer({ db }: Deps, read: ReadPage, last: string): Promise<boolean> {
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

async function loadNewest({ db }: Deps, read: ReadPage): Promise<void> {
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
