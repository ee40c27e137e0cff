import { afterAll, beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { editions } from '../../src/db/schema/games/game-pages.ts'
import { licenses } from '../../src/db/schema/games/game-players.ts'
import { orders, refunds } from '../../src/db/schema/selling/orders.ts'
import type { OrderStatus } from '../../src/domain/listings/orders.ts'
import type { Checkout } from '../../src/features/selling/checkout/model.ts'
import { askAboutOpen } from '../../src/features/selling/orders/reconcile.ts'
import { exportSales, readSales } from '../../src/features/selling/sales/service.ts'
import { readData } from '../helpers/json.ts'
import type { Person } from '../helpers/people.ts'
import { type KilledShop, startKilledShop } from '../helpers/selling-child.ts'
import { insertForSale, signUpBuyer } from '../helpers/selling.ts'
import type { Charge } from '../helpers/stripe-double/state.ts'
import { waitFor } from '../helpers/wait.ts'

const ORDERS = 300
const BUYERS = 100
const GAMES = 40
const SELLERS = 8
const KILL_EVERY_MS = 10_000
const DAYS = 3

interface Item {
  gameUid: string
  seller: Person
  body: { edition_uid?: string; amount_cents?: number }
}

let shop: KilledShop
let sellers: Person[]
let buyers: Person[]
let items: Item[]
beforeAll(async () => {
  shop = await startKilledShop()
  sellers = await Promise.all(Array.from({ length: SELLERS }, () => shop.signUpSeller()))
  buyers = []
  for (let made = 0; made < BUYERS; made += 10)
    buyers.push(...(await Promise.all(Array.from({ length: 10 }, () => signUpBuyer(shop)))))
  items = []
  for (let made = 0; made < GAMES; made += 1) {
    const seller = pick(sellers)
    const priceCents = 99 + Math.floor(Math.random() * 5000)
    const game = await insertForSale(shop, seller, { priceCents, payMore: made % 2 === 0 })
    const edition = { gameUid: game.uid, name: 'Deluxe', priceCents: priceCents + 333 }
    const [row] = await shop.server.deps.db.insert(editions).values(edition).returning()
    const { uid: gameUid } = game
    items.push({ gameUid, seller, body: {} }, { gameUid, seller, body: { edition_uid: row?.uid ?? '' } })
    if (game.payMore) items.push({ gameUid: game.uid, seller, body: { amount_cents: priceCents * 3 + 1 } })
  }
}, 180_000)
afterAll(() => shop.stop())

function pick<Value>(values: readonly Value[]): Value {
  const value = values[Math.floor(Math.random() * values.length)]
  if (value === undefined) throw new Error('There is nothing to pick')
  return value
}

const chance = (share: number) => Math.random() < share

/** Sends events late, twice and in another order; some payments are never told. */
function scramble(): void {
  shop.stripe.route((event) => {
    if (event.type.startsWith('checkout.') && chance(0.1)) return
    for (let times = chance(0.3) ? 2 : 1; times > 0; times -= 1)
      setTimeout(() => void shop.stripe.send(event), Math.random() * 1500)
  })
}

let placed = 0

/** One buyer orders, pays or not, gives back, disputes; what fails while the store is down is left as it is. */
async function live(buyer: Person): Promise<void> {
  const person = shop.at(buyer)
  while (placed < ORDERS) {
    const { gameUid, seller, body } = pick(items)
    const answer = await person
      .json('POST', `/api/v1/private/games/${gameUid}/checkout`, body)
      .catch(() => null)
    if (answer?.status !== 201) {
      // Owned already, over the limit, or killed meanwhile.
      await answer?.body?.cancel()
      await Bun.sleep(answer === null || answer.status === 429 ? 500 : 5)
      continue
    }
    placed += 1
    const { url, order_uid } = await readData<Checkout>(answer)
    if (chance(0.15)) continue
    const paymentId = pay(url)
    if (paymentId !== null) await goOn(person, seller, order_uid, paymentId)
  }
}

/** Null when the session ended meanwhile. */
function pay(url: string): string | null {
  try {
    shop.stripe.pay(url)
  } catch {
    return null
  }
  return shop.stripe.books.sessions.get(url.split('/').at(-1) ?? '')?.payment_intent ?? null
}

async function goOn(person: Person, seller: Person, orderUid: string, paymentId: string): Promise<void> {
  const path = `/api/v1/private/orders/${orderUid}/refund`
  const send = async (by: Person, body: object) => {
    const answer = await by.json('POST', path, body).catch(() => null)
    await answer?.body?.cancel()
  }
  const fate = Math.random()
  if (fate < 0.3) {
    const twice = chance(0.5) ? [0, 1] : [0]
    await person.fetch(`/api/v1/private/orders/${orderUid}`).catch(() => null)
    await Promise.all(twice.map(() => send(person, {})))
  } else if (fate < 0.5) {
    await send(shop.at(seller), { amount_cents: 1 + Math.floor(Math.random() * 98), reason: 'A bug' })
  }
  if (chance(0.12)) shop.stripe.openDispute(paymentId)
  if (chance(0.06)) shop.stripe.closeDispute(paymentId, pick(['won', 'lost'] as const))
}

test('after a random history with kills of the store licences, orders, sales and the books of Stripe agree to the cent', async () => {
  scramble()
  let isOver = false
  const killer = (async () => {
    while (!isOver) {
      await Bun.sleep(KILL_EVERY_MS)
      if (!isOver) await shop.crash()
    }
  })()
  await Promise.all(buyers.map(live))
  isOver = true
  await killer
  shop.stripe.route(null)
  await settle()

  const { db } = shop.server.deps
  const { books } = shop.stripe
  const rows = await db.select().from(orders)
  expect(placed).toBeGreaterThanOrEqual(ORDERS)
  const byOrder = new Map(rows.map((row) => [row.uid, row]))
  const charges = [...books.charges.values()]
  expect(rows.filter(({ paidAt }) => paidAt !== null)).toHaveLength(charges.length)
  for (const charge of charges) {
    const order = byOrder.get(charge.metadata.order_uid ?? '')
    const { uid, amountCents, refundedCents, feeCents, feeRefundedCents, status, paymentId } = order ?? {}
    const fee = books.fees.get(charge.application_fee)
    expect({ uid, amountCents, refundedCents, feeCents, feeRefundedCents, status, paymentId }).toEqual({
      uid: charge.metadata.order_uid,
      amountCents: charge.amount,
      refundedCents: charge.amount_refunded,
      feeCents: fee?.amount,
      feeRefundedCents: fee?.amount_refunded,
      status: statusOf(charge),
      paymentId: charge.payment_intent,
    })
  }

  // Nobody holds a licence that is not paid for, and everybody holds what they paid.
  const paid = rows.filter(({ status }) => status === 'paid')
  const held = await db.select().from(licenses).where(eq(licenses.source, 'bought'))
  const pairs = (list: readonly { userUid: string | null; gameUid: string }[]) =>
    [...new Set(list.map(({ userUid, gameUid }) => `${userUid} ${gameUid}`))].toSorted()
  expect(pairs(held)).toEqual(pairs(paid))
  // Nobody paid twice for the same.
  const bought = paid.map(({ userUid, gameUid, editionUid }) => `${userUid} ${gameUid} ${editionUid}`)
  expect(new Set(bought).size).toBe(bought.length)

  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const fees = [...books.fees.values()]
  const expected = {
    sold: charges.length,
    soldCents: sum(charges.map(({ amount }) => amount)),
    refundedCents: sum(charges.map(({ amount_refunded }) => amount_refunded)),
    feeCents: sum(fees.map(({ amount, amount_refunded }) => amount - amount_refunded)),
  }
  const netCents = expected.soldCents - sum([...books.reversed.values()]) - expected.feeCents
  const sales = await readSales(db, { kind: 'store' }, DAYS)
  expect(sales.total).toEqual({ ...expected, netCents })
  const lines = await exportSales(db, { kind: 'store' }, DAYS)
  for (const parts of [sales.days, sales.editions, sales.countries, lines])
    expect(sum(parts.map((part) => part.netCents))).toBe(netCents)
  const persons = await Promise.all(
    sellers.map(({ uid }) => readSales(db, { kind: 'person', userUid: uid }, DAYS)),
  )
  expect(sum(persons.map(({ total }) => total.netCents))).toBe(netCents)
}, 420_000)

function statusOf({ amount, amount_refunded, payment_intent }: Charge): OrderStatus {
  if (amount_refunded >= amount) return 'refunded'
  const states = [...shop.stripe.books.disputes.values()].flatMap((dispute) =>
    dispute.payment_intent === payment_intent ? dispute.status : [],
  )
  return states.some((state) => state !== 'won') ? 'disputed' : 'paid'
}

/** Waits until nothing is under way: jobs, promised refunds, and payments that were never told. */
async function settle(): Promise<void> {
  const { db } = shop.server.deps
  await waitFor(
    'everything settles',
    async () => {
      await db
        .update(orders)
        .set({ checkedAt: new Date(0) })
        .where(eq(orders.status, 'open'))
      await askAboutOpen(shop.server.deps, new AbortController().signal)
      const pending = await db.$count(refunds, eq(refunds.state, 'pending'))
      const [jobs] = await db.execute<{ count: number }>(
        "select count(*)::int as count from graphile_worker.jobs where task_identifier like 'selling.%' and task_identifier <> 'selling.refund'",
      )
      const open = await db
        .select({ sessionId: orders.sessionId })
        .from(orders)
        .where(eq(orders.status, 'open'))
      const isTold = open.every(
        ({ sessionId }) => shop.stripe.books.sessions.get(sessionId ?? '')?.status !== 'complete',
      )
      return pending === 0 && jobs?.count === 0 && isTold
    },
    120_000,
  )
}
