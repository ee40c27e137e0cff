import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { changeGame, openGame } from '../../games/service.ts'
import { loadReporter } from '../settings/service.ts'
import { explainUndelivered } from '../settings/webhook-urls.ts'
import { type Address, deliverWebhook } from './jobs.ts'
import { Delivery, DeliveryAttempt, type SentTests } from './model.ts'
import * as queries from './queries.ts'

const ATTEMPTS_SHOWN = 20
/** Addresses whose job was lost that one sweep queues. */
const ADDRESSES_MAX = 1000

/** The most waiting deliveries of one owner's games. Further reports are filed, but not sent. */
const WAITING_MAX = 5000
const describeFull = () => `Not delivered: ${WAITING_MAX.toLocaleString('en')} webhooks are waiting already.`

/** One delivery to each URL. The job commits with the ticket, so none is lost and none is sent without it. */
export async function createDeliveries(
  deps: Deps,
  tx: Transaction,
  gameUid: string,
  ticketUid: string | null,
  urls: readonly string[],
): Promise<queries.DeliveryRow[]> {
  if (urls.length === 0) return []
  const nextTryAt = new Date()
  const values = urls.map((url) => ({ gameUid, ticketUid, url, nextTryAt }))
  const deliveries = await queries.insertDeliveries(tx, values)
  await dispatch(deps, tx, gameUid, deliveries)
  return deliveries
}

/** Queues what may be sent; the others end as failed. */
async function dispatch(
  { config }: Deps,
  tx: Transaction,
  gameUid: string,
  deliveries: readonly queries.DeliveryRow[],
): Promise<void> {
  const waiting = await queries.countWaiting(tx, gameUid, WAITING_MAX + 1)
  if (!waiting) throw new AppError('not_found')
  const { ownerUid, count } = waiting
  // In one order, so that two reports with the same addresses cannot deadlock.
  for (const { uid, url } of deliveries.toSorted((a, b) => (a.url < b.url ? -1 : 1))) {
    const refusal = explainUndelivered(config, url) ?? (count > WAITING_MAX ? describeFull() : null)
    if (refusal === null) await queueDelivery(tx, { ownerUid, url })
    else await queries.failDelivery(tx, uid, refusal)
  }
}

/** Jobs of one address run one after the other, which keeps the order of its deliveries. */
function jobOf({ ownerUid, url }: Address) {
  const key = `bugs.deliver:${ownerUid}:${sha256Hex(url)}`
  return { key, queue: key }
}

/** Queues a job that is due now, unless the address has a due job already, which keeps its place. */
export async function queueDelivery(tx: Transaction, address: Address): Promise<void> {
  const options = jobOf(address)
  if (!(await queries.lockDueJob(tx, options.key))) await enqueue(tx, deliverWebhook, address, options)
}

/** Queues a job for the time of the next delivery, unless a job was queued in the meantime. */
export async function queueNextDelivery(db: Db, address: Address): Promise<void> {
  const runAt = await queries.findNextTry(db, address)
  if (runAt) await enqueue(db, deliverWebhook, address, { ...jobOf(address), runAt, keepsRunAt: true })
}

/** Does so for every address with waiting deliveries, or only with those due before `dueBefore`. */
export async function queueWaiting(db: Db, dueBefore?: Date): Promise<void> {
  for (const address of await queries.listAddresses(db, dueBefore, ADDRESSES_MAX))
    await queueNextDelivery(db, address)
}

export async function listDeliveries(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<Delivery>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await deps.db.transaction(
    async (tx) => {
      const found = await queries.listDeliveries(tx, game.uid, page)
      return { ...found, items: await withAttempts(tx, found.items) }
    },
    // Both reads see one snapshot, so that no delivery shows an attempt without its outcome.
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** Sends a test to every URL, once each. The outcome is in the list of deliveries. */
export async function testWebhooks(deps: Deps, actor: WebsiteUser, ref: string): Promise<SentTests> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const { webhookUrls } = await loadReporter(tx, game.uid)
    if (webhookUrls.length === 0)
      throw new AppError('invalid_request', {
        message: 'There is no webhook URL yet. Save one, then test it.',
      })
    const deliveries = await createDeliveries(deps, tx, game.uid, null, webhookUrls)
    return { items: await reload(tx, deliveries) }
  })
}

/** Starts over: it is sent now and, should that fail, retried as often as a new one. */
export async function redeliver(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  deliveryUid: string,
): Promise<Delivery> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const row = isUid(deliveryUid) ? await queries.lockDelivery(tx, game.uid, deliveryUid) : undefined
    if (!row) throw new AppError('not_found')
    const { webhookUrls } = await loadReporter(tx, game.uid)
    if (!webhookUrls.includes(row.url))
      throw new AppError('taken', {
        message: 'This URL is no longer a webhook of the game. Add it again first.',
      })
    await queries.updateDelivery(tx, row.uid, { state: 'pending', tries: 0, nextTryAt: new Date() })
    await dispatch(deps, tx, game.uid, [row])
    const [shown] = await reload(tx, [row])
    if (!shown) throw new AppError('not_found')
    return shown
  })
}

/** Returns the deliveries as they are now, oldest first. */
async function reload(tx: Transaction, deliveries: readonly queries.DeliveryRow[]): Promise<Delivery[]> {
  const uids = deliveries.map(({ uid }) => uid)
  return await withAttempts(tx, await queries.listByUid(tx, uids))
}

async function withAttempts(tx: Transaction, rows: readonly queries.DeliveryRow[]): Promise<Delivery[]> {
  const uids = rows.map(({ uid }) => uid)
  const found = await queries.listAttempts(tx, uids, ATTEMPTS_SHOWN)
  const attempts = Map.groupBy(found, ({ deliveryUid }) => deliveryUid)
  return rows.map((row) => toDelivery(row, attempts.get(row.uid) ?? []))
}

function toDelivery(row: queries.DeliveryRow, attempts: readonly queries.AttemptRow[]): Delivery {
  const shown = attempts.map((attempt) => respond(DeliveryAttempt, attempt, { at: attempt.createdAt }))
  const { status = null, latency_ms = null, error = null } = shown[0] ?? {}
  return respond(Delivery, row, {
    event: row.ticketUid === null ? 'bug.test' : 'bug.created',
    status,
    latency_ms,
    error,
    attempts: shown,
    next_retry_at: row.nextTryAt,
  })
}
