import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { endCheckout } from '../../games/jobs.ts'
import { maySeePage } from '../../games/service.ts'
import { askStripe, callPayments, requirePayments } from '../payouts/service.ts'
import { Order } from './model.ts'
import * as queries from './queries.ts'
import { expireOrder, syncOrder } from './settle.ts'

/** An order with the address where its buyer pays; that is null once it is paid or expired. */
export interface OwnOrder {
  order: Order
  payUrl: string | null
}

export async function listOrders(deps: Deps, user: WebsiteUser, page: Page): Promise<Paged<Order>> {
  return mapPage(await queries.listOrders(deps.db, user.userUid, page), (row) => toOrder(deps, row))
}

/** Asks Stripe about an open order, because its event may be late. */
export async function getOrder(deps: Deps, user: WebsiteUser, uid: string): Promise<OwnOrder> {
  const { order } = await requireOwn(deps, user, uid)
  if (order.status === 'open' && deps.payments)
    await askStripe(deps, user.userUid, uid, () => syncOrder(deps, uid))
  const row = await requireOwn(deps, user, uid)
  return { order: toOrder(deps, row), payUrl: row.order.status === 'open' ? row.order.sessionUrl : null }
}

/** Expires an open order for its buyer. */
export async function cancelOrder(deps: Deps, user: WebsiteUser, uid: string): Promise<void> {
  requirePayments(deps)
  await requireOwn(deps, user, uid)
  await callPayments(expireOrder(deps, uid))
}

async function requireOwn(deps: Deps, user: WebsiteUser, uid: string): Promise<queries.ShownOrder> {
  const row = isUid(uid) ? await queries.findShownOrder(deps.db, uid) : undefined
  if (!row || row.order.userUid !== user.userUid) throw new AppError('not_found')
  return row
}

/** The caller must have checked that the person may see the order. */
export async function loadOrder(deps: Deps, uid: string): Promise<Order> {
  const row = await queries.findShownOrder(deps.db, uid)
  if (!row) throw new AppError('not_found')
  return toOrder(deps, row)
}

function toOrder(
  { config }: Deps,
  { order, vanityName, visibility, isRefundPending }: queries.ShownOrder,
): Order {
  const { gameUid, gameName, editionUid, editionName } = order
  const vanity_name = visibility !== null && maySeePage(visibility, null) ? vanityName : null
  const url = vanity_name === null ? null : listingUrl(config.baseUrl, vanity_name)
  return respond(Order, order, {
    game: { uid: gameUid, name: gameName, vanity_name, url },
    edition: editionUid === null ? null : { uid: editionUid, name: editionName ?? '' },
    currency: STORE_RULES.currency,
    // An order that was paid after it was closed is refunded automatically.
    refund_pending: isRefundPending || (order.closedAt !== null && order.status === 'paid'),
  })
}

/** The editions that a player owns; null is the listing itself. */
export async function listOwnedEditions(
  db: Db,
  userUid: string,
  gameUid: string,
): Promise<readonly (string | null)[]> {
  return await queries.listOwnedEditions(db, userUid, gameUid)
}

/** Any owned edition includes the listing itself. */
export async function ownsEdition(
  db: Db,
  userUid: string,
  gameUid: string,
  editionUid: string | null,
): Promise<boolean> {
  const owned = await listOwnedEditions(db, userUid, gameUid)
  return editionUid === null ? owned.length > 0 : owned.includes(editionUid)
}

/** Ends an open order, so that the buyer can order the game again. */
export async function closeOrder(deps: Deps, { uid, sessionId }: queries.OrderRow): Promise<void> {
  if (sessionId === null) await queries.deleteUnstarted(deps.db, uid)
  else await expireOrder(deps, uid)
}

export async function closeOrderByUid(deps: Deps, orderUid: string): Promise<void> {
  const order = await queries.findOrder(deps.db, orderUid)
  if (order?.status === 'open' || order?.closedAt) await closeOrder(deps, order)
}

/** Call in the transaction that gave a licence, so that nobody pays for what they already own. */
export async function closeOrderIfOwned(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  const open = await queries.findOpenOrder(tx, userUid, gameUid)
  if (open && (await ownsEdition(tx, userUid, gameUid, open.editionUid)))
    await enqueue(tx, endCheckout, { orderUid: open.uid })
}
