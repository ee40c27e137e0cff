import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { maySeePage } from '../../games/service.ts'
import { askStripe } from '../payouts/ask.ts'
import { callPayments, requirePayments } from '../payouts/service.ts'
import type { Order } from './model.ts'
import * as queries from './queries.ts'
import { expireOrder, syncOrder } from './sync.ts'

/** The order, and where its buyer pays; null once it is paid or expired. */
export interface OwnOrder {
  order: Order
  payUrl: string | null
}

export async function listOrders(deps: Deps, user: WebsiteUser, page: Page): Promise<Paged<Order>> {
  const [rows, total] = await Promise.all([
    queries.listOrders(deps.db, user.userUid, page),
    queries.countOrders(deps.db, user.userUid),
  ])
  return paged(
    page,
    rows.map((row) => toOrder(deps, row)),
    total,
  )
}

/** Asks Stripe about an open order, because its event may be late. */
export async function getOrder(deps: Deps, user: WebsiteUser, uid: string): Promise<OwnOrder> {
  const { order } = await requireOwn(deps, user, uid)
  if (order.status === 'open' && deps.payments)
    await askStripe(deps, user.userUid, uid, () => syncOrder(deps, uid))
  const row = await requireOwn(deps, user, uid)
  return { order: toOrder(deps, row), payUrl: row.order.status === 'open' ? row.order.sessionUrl : null }
}

/** The buyer changed their mind before paying. */
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

/** For whoever may see it, which the caller has checked. */
export async function readOrder(deps: Deps, uid: string): Promise<Order> {
  const row = await queries.findShownOrder(deps.db, uid)
  if (!row) throw new AppError('not_found')
  return toOrder(deps, row)
}

export function toOrder(
  { config }: Deps,
  { order, vanityName, visibility, isRefundPending }: Omit<queries.ShownOrder, 'buyer'>,
): Order {
  const isOpen = visibility !== null && maySeePage(visibility, null)
  const name = isOpen ? vanityName : null
  const { editionUid, editionName } = order
  return {
    uid: order.uid,
    game: {
      uid: order.gameUid,
      name: order.gameName,
      vanity_name: name,
      url: name === null ? null : listingUrl(config.baseUrl, name),
    },
    edition: editionUid === null ? null : { uid: editionUid, name: editionName ?? '' },
    amount_cents: order.amountCents,
    fee_cents: order.feeCents,
    currency: STORE_RULES.currency,
    status: order.status,
    created_at: order.createdAt.toISOString(),
    paid_at: order.paidAt?.toISOString() ?? null,
    refunded_cents: order.refundedCents,
    // A sale that was closed before it was paid is given back by itself.
    refund_pending: isRefundPending || (order.closedAt !== null && order.status === 'paid'),
    receipt_url: order.receiptUrl,
  }
}
