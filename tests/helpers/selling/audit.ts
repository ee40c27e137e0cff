import { licenses } from '../../../src/db/schema/games/game-players.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { orders, refunds } from '../../../src/db/schema/selling.ts'
import type { OrderStatus } from '../../../src/domain/listings/orders.ts'
import type { Figures } from '../../../src/features/selling/sales/service.ts'
import { summaryOf } from '../../../src/site/studio/sales/sales-parts.tsx'
import type { Person } from '../people.ts'
import { sellerShareOf } from '../stripe-double/money.ts'
import type { Books, Charge } from '../stripe-double/state.ts'
import type { Shop } from './selling.ts'

type Order = typeof orders.$inferSelect

const DAYS = 3
const SECOND = 1000

/** Everything in which the store and the books of Stripe disagree, in words; empty when all is right. */
export async function auditShop(
  shop: Shop,
  { operator, sellers }: { operator: Person; sellers: readonly Person[] },
): Promise<string[]> {
  const { db } = shop.server.deps
  const { books } = shop.stripe
  const rows = await db.select().from(orders)
  return [
    ...auditOrders(books, rows),
    ...auditRefunds(books, rows, await db.select().from(refunds)),
    ...auditLicenses(rows, await db.select().from(licenses)),
    ...auditDoublePayments(rows),
    ...(await auditSales(books, rows, operator, '/operate')),
    ...(await auditOwners(shop, rows, sellers)),
  ]
}

function auditOrders(books: Books, rows: readonly Order[]): string[] {
  const paid = new Map(rows.flatMap((row) => (row.paidAt === null ? [] : [[row.uid, row]])))
  const wrong = [...books.charges.values()].flatMap((charge) => {
    const uid = charge.metadata.order_uid ?? ''
    const order = paid.get(uid)
    paid.delete(uid)
    const fee = books.fees.get(charge.application_fee ?? '')
    const disputed = disputedOf(books, charge)
    const kept = charge.amount - charge.amount_refunded - disputed - sellerShareOf(books, charge)
    const expected = [
      charge.payment_intent,
      statusOf(books, charge),
      charge.amount,
      charge.amount_refunded,
      disputed,
      fee?.amount,
      kept,
    ].join(' ')
    const found =
      order &&
      [
        order.paymentId,
        order.status,
        order.amountCents,
        order.refundedCents,
        order.disputedCents,
        order.feeCents,
        order.feeCents - order.feeRefundedCents,
      ].join(' ')
    return found === expected ? [] : `order ${uid} is "${found}" here and "${expected}" at Stripe`
  })
  return [...wrong, ...paid.keys().map((uid) => `order ${uid} is paid here and not at Stripe`)]
}

function statusOf(books: Books, charge: Charge): OrderStatus {
  if (charge.amount_refunded >= charge.amount) return 'refunded'
  return disputedOf(books, charge) > 0 ? 'disputed' : 'paid'
}

function disputedOf({ disputes }: Books, { amount, amount_refunded, payment_intent }: Charge): number {
  const open = [...disputes.values()].filter(
    (dispute) => dispute.payment_intent === payment_intent && dispute.status !== 'won',
  )
  return Math.min(amount - amount_refunded, sum(open.map((dispute) => dispute.amount)))
}

/** Each recorded refund was made exactly once, and no other was made. */
function auditRefunds(
  books: Books,
  rows: readonly Order[],
  promised: readonly (typeof refunds.$inferSelect)[],
): string[] {
  const orderOf = new Map(rows.map(({ uid, paymentId }) => [uid, paymentId]))
  const made = [...books.refunds.values()]
    .map((refund) => `${refund.metadata['refund_uid']} ${refund.payment_intent} ${refund.amount}`)
    .toSorted()
  const kept = promised
    .filter(({ state }) => state === 'done')
    .map(({ uid, orderUid, amountCents }) => `${uid} ${orderOf.get(orderUid)} ${amountCents}`)
    .toSorted()
  return [
    ...promised.flatMap(({ uid, state }) => (state === 'pending' ? `refund ${uid} is still promised` : [])),
    ...compareLists('refund', kept, made),
  ]
}

/** Every licence is paid for, and every paid order has its licence. */
function auditLicenses(rows: readonly Order[], held: readonly (typeof licenses.$inferSelect)[]): string[] {
  const pairs = (list: readonly { userUid: string | null; gameUid: string }[]) =>
    [...new Set(list.map(({ userUid, gameUid }) => `${userUid} ${gameUid}`))].toSorted()
  const paid = rows.filter(({ status }) => status === 'paid')
  const grounds = new Set(paid.map(({ uid }) => uid))
  return [
    ...compareLists('licence', pairs(held), pairs(paid)),
    ...held.flatMap(({ orderUid }) =>
      orderUid !== null && grounds.has(orderUid)
        ? []
        : `a licence rests on order ${orderUid}, which is not paid`,
    ),
  ]
}

/** Nobody pays twice for one edition, or for the listing after buying one of its editions. */
function auditDoublePayments(rows: readonly Order[]): string[] {
  const kept = rows.filter(({ status, dispute }) => status === 'paid' || dispute === 'open')
  return kept.flatMap((order) =>
    kept.flatMap((other) => {
      if (other.uid === order.uid || other.userUid !== order.userUid || other.gameUid !== order.gameUid)
        return []
      const isSame = other.editionUid === order.editionUid
      // Stripe's times are whole seconds.
      const isLater = order.createdAt.getTime() > (other.paidAt?.getTime() ?? Infinity) + SECOND
      return isSame || (order.editionUid === null && isLater)
        ? `order ${order.uid} was paid although its buyer had order ${other.uid}`
        : []
    }),
  )
}

async function auditOwners(
  shop: Shop,
  rows: readonly Order[],
  sellers: readonly Person[],
): Promise<string[]> {
  const found: string[] = []
  const listed = await shop.server.deps.db.select().from(games)
  for (const seller of sellers) {
    const own = rows.filter(({ sellerUid }) => sellerUid === seller.uid)
    found.push(...(await auditSales(shop.stripe.books, own, seller, '/studio')))
    for (const { uid, ownerUid, vanityName } of listed) {
      if (ownerUid !== seller.uid) continue
      const ofGame = own.filter(({ gameUid }) => gameUid === uid)
      found.push(...(await auditSales(shop.stripe.books, ofGame, seller, `/studio/${vanityName}`)))
    }
  }
  return found
}

/** The page and the CSV say what the books say about these orders. */
async function auditSales(
  books: Books,
  rows: readonly Order[],
  person: Person,
  base: string,
): Promise<string[]> {
  const expected = figuresOf(books, new Set(rows.map(({ uid }) => uid)))
  const page = await (await person.fetch(`${base}/sales?days=${DAYS}`)).text()
  const csv = await (await person.fetch(`${base}/sales.csv?days=${DAYS}`)).text()
  const columns = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',').slice(-6).map(Number))
  const sums = [0, 1, 2, 3, 4, 5].map((column) => sum(columns.map((line) => line[column] ?? 0)))
  const { sold, soldCents, refundedCents, disputedCents, feeCents, netCents } = expected
  const summary = summaryOf(expected, DAYS)
  return [
    ...(page.includes(summary) ? [] : [`${base}/sales does not say "${summary}"`]),
    ...(sums.join() === [sold, soldCents, refundedCents, disputedCents, feeCents, netCents].join()
      ? []
      : [`${base}/sales.csv adds up to ${sums.join()} instead of ${JSON.stringify(expected)}`]),
  ]
}

function figuresOf(books: Books, uids: ReadonlySet<string>): Figures {
  const charges = [...books.charges.values()].filter(({ metadata }) => uids.has(metadata.order_uid ?? ''))
  const soldCents = sum(charges.map(({ amount }) => amount))
  const refundedCents = sum(charges.map(({ amount_refunded }) => amount_refunded))
  const disputedCents = sum(charges.map((charge) => disputedOf(books, charge)))
  const netCents = sum(charges.map((charge) => sellerShareOf(books, charge)))
  return {
    sold: charges.length,
    soldCents,
    refundedCents,
    disputedCents,
    // What remains after the shares of buyers, banks and the developer.
    feeCents: soldCents - refundedCents - disputedCents - netCents,
    netCents,
  }
}

function compareLists(what: string, here: readonly string[], there: readonly string[]): string[] {
  const [known, expected] = [new Set(here), new Set(there)]
  return [
    ...(here.length === known.size && there.length === expected.size ? [] : [`a ${what} is there twice`]),
    ...here.flatMap((one) => (expected.has(one) ? [] : `${what} ${one} has no ground`)),
    ...there.flatMap((one) => (known.has(one) ? [] : `${what} ${one} is missing`)),
  ]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
