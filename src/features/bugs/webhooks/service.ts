import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { lockGame, openGame } from '../../games/service.ts'
import { readReporter } from '../settings/service.ts'
import { deliverWebhook } from './jobs.ts'
import type { Delivery, SentTests } from './model.ts'
import * as queries from './queries.ts'

const ATTEMPTS_SHOWN = 20

/** One delivery to each URL. The jobs commit with the ticket, so none is lost and none is sent without it. */
export async function createDeliveries(
  tx: Transaction,
  gameUid: string,
  ticketUid: string | null,
  urls: readonly string[],
): Promise<queries.DeliveryRow[]> {
  if (urls.length === 0) return []
  const now = new Date()
  const values = urls.map((url) => ({ gameUid, ticketUid, url, nextTryAt: now }))
  const deliveries = await queries.insertDeliveries(tx, values)
  for (const delivery of deliveries) await scheduleDelivery(tx, delivery, now)
  return deliveries
}

/** Deliveries of a game to one URL are sent one at a time, so that a slow receiver only delays itself. */
export async function scheduleDelivery(
  tx: Transaction,
  { uid, gameUid, url }: queries.DeliveryRow,
  runAt: Date,
): Promise<void> {
  await enqueue(
    tx,
    deliverWebhook,
    { deliveryUid: uid },
    { runAt, key: `bugs.deliver:${uid}`, queue: `bugs.deliver:${gameUid}:${sha256Hex(url).slice(0, 8)}` },
  )
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
    rows.map((row) => showDelivery(row, attempts.get(row.uid) ?? [])),
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
    const deliveries = await createDeliveries(tx, game.uid, null, webhookUrls)
    return { items: deliveries.map((delivery) => showDelivery(delivery, [])) }
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
    const now = new Date()
    const fresh = { state: 'pending', tries: 0, nextTryAt: now } as const
    await queries.updateDelivery(tx, row.uid, fresh)
    await scheduleDelivery(tx, row, now)
    const attempts = await queries.listAttempts(tx, [row.uid], ATTEMPTS_SHOWN)
    return showDelivery({ ...row, ...fresh }, attempts)
  })
}

function showDelivery(row: queries.DeliveryRow, attempts: readonly queries.AttemptRow[]): Delivery {
  const shown = attempts.map(({ createdAt, status, latencyMs, error }) => ({
    ...{ at: createdAt.toISOString(), status, latency_ms: latencyMs, error },
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
