import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { lockGame, openGame } from '../../games/service.ts'
import { readReporter } from '../settings/rows.ts'
import { explainUndelivered } from '../settings/webhook-urls.ts'
import type { Delivery, SentTests } from './model.ts'
import * as queries from './queries.ts'
import { countWaiting } from './turn-queries.ts'
import { queueTurn } from './turns.ts'

const ATTEMPTS_SHOWN = 20

/** Of all games of one owner. Further reports are filed, but not sent. */
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

/** Queues the owner's turn; pending deliveries that may not be sent end as failed. */
async function dispatch(
  { config }: Deps,
  tx: Transaction,
  gameUid: string,
  deliveries: readonly queries.DeliveryRow[],
): Promise<void> {
  const queue = await countWaiting(tx, gameUid, WAITING_MAX + 1)
  if (!queue) throw new AppError('not_found')
  const isFull = queue.waiting > WAITING_MAX
  const refusals = deliveries.map(
    ({ url }) => explainUndelivered(config, url) ?? (isFull ? describeFull() : null),
  )
  for (const [index, refusal] of refusals.entries()) {
    const { uid = '' } = deliveries[index] ?? {}
    if (refusal !== null) await queries.failDelivery(tx, uid, refusal)
  }
  if (refusals.includes(null)) await queueTurn(tx, queue.ownerUid, new Date())
}

export async function listDeliveries(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<Delivery>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const { rows, total, attempts } = await deps.db.transaction(
    async (tx) => {
      const found = await queries.listDeliveries(tx, game.uid, page)
      const uids = found.map(({ uid }) => uid)
      return {
        rows: found,
        total: await queries.countDeliveries(tx, game.uid),
        attempts: Map.groupBy(
          await queries.listAttempts(tx, uids, ATTEMPTS_SHOWN),
          ({ deliveryUid }) => deliveryUid,
        ),
      }
    },
    // One moment, so that a delivery never shows an attempt without its outcome.
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
  return paged(
    page,
    rows.map((row) => toDelivery(row, attempts.get(row.uid) ?? [])),
    total,
  )
}

/** Sends a test to every URL, once each. The outcome is in the list of deliveries. */
export async function testWebhooks(deps: Deps, actor: WebsiteUser, ref: string): Promise<SentTests> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const { webhookUrls } = await readReporter(tx, game.uid)
    if (webhookUrls.length === 0)
      throw new AppError('invalid_request', {
        message: 'There is no webhook URL yet. Save one, then test it.',
      })
    const deliveries = await createDeliveries(deps, tx, game.uid, null, webhookUrls)
    return { items: await toDeliveries(tx, deliveries) }
  })
}

/** Starts over: it is sent now and, should that fail, retried as often as a new one. */
export async function redeliver(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  deliveryUid: string,
): Promise<Delivery> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const row = isUid(deliveryUid) ? await queries.lockDelivery(tx, game.uid, deliveryUid) : undefined
    if (!row) throw new AppError('not_found')
    const { webhookUrls } = await readReporter(tx, game.uid)
    if (!webhookUrls.includes(row.url))
      throw new AppError('taken', {
        message: 'This URL is no longer a webhook of the game. Add it again first.',
      })
    await queries.updateDelivery(tx, row.uid, { state: 'pending', tries: 0, nextTryAt: new Date() })
    await dispatch(deps, tx, game.uid, [row])
    const [shown] = await toDeliveries(tx, [row])
    if (!shown) throw new AppError('not_found')
    return shown
  })
}

async function toDeliveries(tx: Transaction, changed: readonly queries.DeliveryRow[]): Promise<Delivery[]> {
  const uids = changed.map(({ uid }) => uid)
  const [rows, attempts] = [
    await queries.listByUid(tx, uids),
    await queries.listAttempts(tx, uids, ATTEMPTS_SHOWN),
  ]
  return rows.map((row) =>
    toDelivery(
      row,
      attempts.filter(({ deliveryUid }) => deliveryUid === row.uid),
    ),
  )
}

function toDelivery(row: queries.DeliveryRow, attempts: readonly queries.AttemptRow[]): Delivery {
  const shown = attempts.map(({ createdAt, status, latencyMs, error }) => ({
    at: createdAt.toISOString(),
    status,
    latency_ms: latencyMs,
    error,
  }))
  const [last] = shown
  return {
    uid: row.uid,
    event: row.ticketUid === null ? 'bug.test' : 'bug.created',
    ticket_uid: row.ticketUid,
    url: row.url,
    state: row.state,
    status: last?.status ?? null,
    latency_ms: last?.latency_ms ?? null,
    error: last?.error ?? null,
    attempts: shown,
    next_retry_at: row.nextTryAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  }
}
