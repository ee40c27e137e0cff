import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { orderUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { createUid } from '../../../lib/ids.ts'
import { type GameAccess, openGame } from '../../games/service.ts'
import {
  beginPayment,
  closeOrder,
  findOpenOrder,
  insertOrder,
  type OpenOrder,
} from '../orders/open-orders.ts'
import { callPayments, requireVerified } from '../payouts/service.ts'
import { readFee, readStoreName } from './fee.ts'
import type { Checkout, CheckoutInput } from './model.ts'
import { type Offer, requireOffer } from './offer.ts'

const MINUTE_MS = 60_000
/** The same order is answered again this long; its page at Stripe stays open longer, so that it can still be used. */
const SAME_ORDER_MS = 30 * MINUTE_MS
const SESSION_MS = 60 * MINUTE_MS
const ATTEMPTS = 5

/**
 * A buyer has one open order per game: another one ends it at Stripe first, so nobody can pay for both. Asking again for
 * the same answers the same.
 */
export async function createCheckout(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  input: CheckoutInput,
): Promise<Checkout> {
  if (!deps.payments) {
    await openGame(deps.db, user, ref, 'see')
    throw new AppError('not_for_sale', { message: 'This store does not take payments at the moment.' })
  }
  requireVerified(user, 'buy something')
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const access = await openGame(deps.db, user, ref, 'see')
    const offer = await requireOffer(deps.db, user, access, input)
    const open = await findOpenOrder(deps, user.userUid, access.game.uid)
    if (open && !isSame(open, offer)) {
      await callPayments(closeOrder(deps, open))
      continue
    }
    const order = open ?? (await placeOrder(deps, user, access, offer))
    const checkout = order && (await answer(deps, user, order))
    if (checkout) return checkout
  }
  throw new AppError('payments_failed', {
    message: 'Another order of this game is being made at the same moment. Try again.',
  })
}

function isSame({ editionUid, amountCents, accountId, createdAt }: OpenOrder, offer: Offer): boolean {
  const isRecent = Date.now() - createdAt.getTime() < SAME_ORDER_MS
  const isEqual = editionUid === (offer.edition?.uid ?? null) && amountCents === offer.amountCents
  return isRecent && isEqual && accountId === offer.accountId
}

async function placeOrder(
  deps: Deps,
  { userUid }: WebsiteUser,
  { game }: GameAccess,
  { edition, amountCents, accountId }: Offer,
): Promise<OpenOrder | null> {
  return await insertOrder(deps, {
    uid: createUid(),
    userUid,
    sellerUid: game.ownerUid,
    gameUid: game.uid,
    gameName: game.name,
    editionUid: edition?.uid ?? null,
    editionName: edition?.name ?? null,
    amountCents,
    feeCents: await readFee(deps, amountCents),
    accountId,
    expiresAt: new Date(Date.now() + SESSION_MS),
  })
}

/** Everything that Stripe is told comes from the order, so that repeating it tells the same. Null: the sale ended. */
async function answer(deps: Deps, { email }: WebsiteUser, order: OpenOrder): Promise<Checkout | null> {
  const { uid, gameName, editionName, amountCents, feeCents, accountId, expiresAt } = order
  const url =
    order.sessionUrl ??
    (await callPayments(
      beginPayment(deps, order, {
        orderUid: uid,
        name: editionName === null ? gameName : `${gameName} (${editionName})`,
        amountCents,
        feeCents,
        currency: STORE_RULES.currency,
        accountId,
        email,
        expiresAt,
        returnUrl: orderUrl(deps.config.baseUrl, uid),
        storeName: await readStoreName(deps),
      }),
    ))
  return url === null ? null : { order_uid: uid, url, expires_at: expiresAt.toISOString() }
}
