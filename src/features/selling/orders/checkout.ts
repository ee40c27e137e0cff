import { PaymentsFailure } from '../../../clients/stripe/payments.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import {
  amountsFor,
  feeOf,
  findPurchaseFault,
  type PurchaseFault,
  titleOfOrder,
} from '../../../domain/listings/orders.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { orderUrl } from '../../../domain/site-urls.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { createUid } from '../../../lib/ids.ts'
import { lockHolding } from '../../community/library/service.ts'
import { type GameAccess, type GameRow, openGame } from '../../games/service.ts'
import { lockSale } from '../../games/shared-sale-queries.ts'
import { type EditionRow, findEditionOf } from '../../listings/pricing/service.ts'
import { loadFeePercent, settingsOf } from '../../settings/reader.ts'
import { syncPayouts } from '../payouts/jobs.ts'
import { callPayments, findSellingAccount, requirePayments, requireVerified } from '../payouts/service.ts'
import type { Checkout, CheckoutInput } from './model.ts'
import * as queries from './queries.ts'
import type { OrderRow } from './queries.ts'
import { closeOrder, ownsEdition } from './service.ts'

const MINUTE_MS = 60_000
/** For this long a repeated checkout returns the same order; its session lasts longer. */
const SAME_ORDER_MS = 30 * MINUTE_MS
const CHECKOUT_MS = 60 * MINUTE_MS
const ATTEMPTS = 5
/** Per buyer, because Stripe is asked about every open order once a minute. */
const OPEN_ORDERS_MAX = 20
/** Lock key that serialises the checkouts of a buyer while their open orders are counted. */
const ANY_GAME = 'open orders'

/**
 * A buyer has one open order per game. Ordering something else of the game first expires the open order at
 * Stripe, so that nobody can pay for both. A repeated request returns the same order.
 */
export async function createCheckout(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  input: CheckoutInput,
): Promise<Checkout> {
  const { db } = deps
  if (!deps.payments) {
    await openGame(db, user, ref, 'see')
    throw new AppError('not_for_sale', { message: 'This store does not take payments at the moment.' })
  }
  requireVerified(user, 'buy something')
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const access = await openGame(db, user, ref, 'see')
    const offer = await requireOffer(deps, user, access, input)
    const open = await queries.findOpenOrder(db, user.userUid, access.game.uid)
    if (open && !isSame(open, offer)) {
      await callPayments(closeOrder(deps, open))
      continue
    }
    const order = open ?? (await placeOrder(deps, user, access.game, offer))
    const url = order && (order.sessionUrl ?? (await callPayments(startPayment(deps, user, order))))
    if (order && url) return { order_uid: order.uid, url, expires_at: order.expiresAt.toISOString() }
  }
  throw new AppError('payments_failed', {
    message: 'Another order of this game is being made at the same moment. Try again.',
  })
}

function isSame({ editionUid, amountCents, accountId, createdAt }: OrderRow, offer: Offer): boolean {
  const isRecent = Date.now() - createdAt.getTime() < SAME_ORDER_MS
  const isEqual = editionUid === (offer.edition?.uid ?? null) && amountCents === offer.amountCents
  return isRecent && isEqual && accountId === offer.accountId
}

/** Undefined if meanwhile the sale ended, or another request of the buyer ordered or got the game. */
async function placeOrder(
  deps: Deps,
  { userUid }: WebsiteUser,
  { uid: gameUid, name: gameName, ownerUid: sellerUid }: GameRow,
  { edition, amountCents, accountId }: Offer,
): Promise<OrderRow | undefined> {
  const editionUid = edition?.uid ?? null
  const feeCents = feeOf(amountCents, await loadFeePercent(deps))
  return await deps.db.transaction(async (tx) => {
    await lockHolding(tx, userUid, gameUid)
    if (await ownsEdition(tx, userUid, gameUid, editionUid)) return undefined
    if (!(await lockSale(tx, gameUid, userUid))) return undefined
    await lockHolding(tx, userUid, ANY_GAME)
    if ((await queries.countOpenOrders(tx, userUid)) >= OPEN_ORDERS_MAX)
      throw new AppError('taken', {
        message: `You have ${OPEN_ORDERS_MAX} orders that are not paid. Pay or cancel one of them first.`,
      })
    return await queries.insertOrder(tx, {
      uid: createUid(),
      userUid,
      sellerUid,
      gameUid,
      gameName,
      editionUid,
      editionName: edition?.name ?? null,
      amountCents,
      feeCents,
      accountId,
      expiresAt: new Date(Date.now() + CHECKOUT_MS),
      // Stripe was never asked about it, so the first check is due immediately.
      checkedAt: new Date(0),
    })
  })
}

/**
 * Opens a payment session at Stripe and returns its address; null if the sale ended meanwhile. The session is
 * stored before its address is returned, so an order without one was never paid and is deleted on failure.
 */
async function startPayment(deps: Deps, { email }: WebsiteUser, order: OrderRow): Promise<string | null> {
  const { uid: orderUid, amountCents, feeCents, accountId, expiresAt } = order
  const { name: storeName } = await settingsOf(deps).read()
  try {
    const session = await requirePayments(deps).openSession({
      orderUid,
      name: titleOfOrder(order),
      amountCents,
      feeCents,
      currency: STORE_RULES.currency,
      accountId,
      email,
      expiresAt,
      returnUrl: orderUrl(deps.config.baseUrl, orderUid),
      storeName,
    })
    return (await queries.setSession(deps.db, orderUid, session)) ? session.url : null
  } catch (error) {
    await queries.deleteUnstarted(deps.db, orderUid)
    // Usually the developer's account can no longer take charges, but that event was lost: sync the account.
    if (error instanceof PaymentsFailure && error.kind === 'refused')
      await enqueue(deps.db, syncPayouts, { accountId }, { key: `account ${accountId}` })
    throw error
  }
}

interface Wanted {
  game: GameRow
  edition: EditionRow | null
}

/** What is bought, its price, and the account that is paid. */
interface Offer {
  edition: EditionRow | null
  amountCents: number
  accountId: string
}

/** Throws the reason if this person cannot buy it. */
async function requireOffer(
  { db }: Deps,
  { userUid, adultContent }: WebsiteUser,
  { game, role }: GameAccess,
  { edition_uid, amount_cents: amountCents }: CheckoutInput,
): Promise<Offer> {
  const [account, edition] = await Promise.all([
    findSellingAccount(db, game.ownerUid),
    edition_uid === undefined ? null : findEditionOf(db, game.uid, edition_uid),
  ])
  const fault = findPurchaseFault({
    game,
    visibility: game.visibility,
    account,
    edition,
    isOnTeam: role !== null,
    allowsAdult: adultContent,
    isOwned: await ownsEdition(db, userUid, game.uid, edition?.uid ?? null),
    amountCents,
  })
  const wanted = { game, edition: edition ?? null }
  if (fault || !account) throw REFUSALS[fault ?? 'no_account'](wanted)
  return {
    edition: wanted.edition,
    amountCents: amountCents ?? priceOf(wanted),
    accountId: account.accountId,
  }
}

const notForSale = (message: string) => new AppError('not_for_sale', { message })
const alreadyOwned = (message: string) => new AppError('already_owned', { message })
const priceOf = ({ game, edition }: Wanted) => edition?.priceCents ?? game.priceCents

const amountsOf = (wanted: Wanted) => amountsFor(priceOf(wanted), wanted.game.payMore) ?? { min: 0, max: 0 }

const REFUSALS: Readonly<Record<PurchaseFault, (wanted: Wanted) => AppError>> = {
  on_team: () => alreadyOwned('You work on this listing: you have it without buying it.'),
  adult: ({ game }) =>
    new AppError('forbidden', { message: `Turn on adult content in your account to buy ${game.name}.` }),
  hidden: () => notForSale('This page is not public, so it cannot be bought.'),
  no_account: () => notForSale('It is not for sale: its developer cannot take payments yet.'),
  account_incomplete: () =>
    notForSale('It is not for sale: its developer cannot take payments at the moment.'),
  edition_missing: () => invalidField('edition_uid', 'must be an edition of this listing.'),
  edition_inactive: ({ edition }) => notForSale(`The edition ${edition?.name} is no longer sold.`),
  owned: ({ game: { name }, edition }) =>
    alreadyOwned(
      edition
        ? `You have this edition of ${name} already. Download it from your library.`
        : `${name} is in your library already. Download it there.`,
    ),
  free: ({ game }) => notForSale(`${game.name} is free. Add it to your library instead.`),
  amount_missing: (wanted) => {
    const { min, max } = amountsOf(wanted)
    return invalidField('amount_cents', `must be ${min} to ${max}: the listing is free.`)
  },
  amount: (wanted) => {
    const { min, max } = amountsOf(wanted)
    const rule = min === max ? `must be ${min}, the price.` : `must be ${min} to ${max} US cents.`
    return invalidField('amount_cents', rule)
  },
}
