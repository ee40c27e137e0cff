import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { stripeEvents, stripeProgress } from '../../../../src/db/schema/selling/stripe-events.ts'
import { takeInMissed } from '../../../../src/features/selling/webhooks/missed.ts'
import { countMails, waitForMail } from '../../../helpers/mails.ts'
import type { Person } from '../../../helpers/people.ts'
import {
  buy,
  checkOut,
  findLicense,
  findOrder,
  insertForSale,
  paymentOf,
  type Shop,
  signUpBuyer,
  signUpSeller,
  startShop,
  waitForStatus,
} from '../../../helpers/selling/selling.ts'
import { waitFor } from '../../../helpers/wait.ts'

const HOUR = 60 * 60
const JOB_EVERY_MS = 5 * 60_000

let shop: Shop
let seller: Person
beforeAll(async () => {
  shop = await startShop()
  seller = await signUpSeller(shop)
})
afterAll(() => shop.stop())

/** The job of the store reads the same list: no test begins shortly before it runs, or before it has ended. */
beforeEach(async () => {
  const near = (Date.now() + 15_000) % JOB_EVERY_MS
  if (near < 18_000) await Bun.sleep(18_000 - near)
})

const takeIn = () => takeInMissed(shop.server.deps, new AbortController().signal)

/** Whatever Stripe tells meanwhile is never delivered, and was told an hour ago. */
async function unheard(work: () => Promise<void> | void): Promise<void> {
  shop.stripe.hold(true)
  await work()
  shop.stripe.hold(false)
  for (const event of shop.stripe.books.events) event.created = Math.floor(Date.now() / 1000) - HOUR
}

/** How many pages of the list are asked for meanwhile. */
async function countPages(work: () => Promise<void>): Promise<number> {
  const before = shop.stripe.requests.length
  await work()
  return shop.stripe.requests.slice(before).filter((call) => call === 'GET events').length
}

async function sell() {
  const game = await insertForSale(shop, seller, { priceCents: 1000 })
  const buyer = await signUpBuyer(shop)
  const { uid } = await buy(shop, buyer, game.uid)
  return { buyer, game, uid, payment: await paymentOf(shop.server, uid) }
}

/** In Stripe's dashboard. */
async function refund(payment: string, cents: number): Promise<void> {
  const answer = await fetch(`${shop.stripe.origin}/v1/refunds`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_double' },
    body: new URLSearchParams({
      payment_intent: payment,
      amount: String(cents),
      refund_application_fee: 'true',
      reverse_transfer: 'true',
    }),
  })
  expect(answer.status).toBe(200)
}

test('a refund whose events never come ends the licence', async () => {
  const { buyer, game, uid, payment } = await sell()
  await unheard(() => refund(payment, 1000))
  expect((await findOrder(shop.server, uid)).status).toBe('paid')
  await takeIn()
  await waitForStatus(shop.server, uid, 'refunded')
  expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
  const subject = `Refund: ${game.name}`
  await waitForMail(shop.server, buyer.email, subject)
  for (const event of shop.stripe.books.events) await shop.stripe.send(event)
  await takeIn()
  expect(await countMails(shop.server, buyer.email, subject)).toBe(1)
})

test('a dispute whose events never come suspends the licence, and gives it back once it is won', async () => {
  const { buyer, game, uid, payment } = await sell()
  await unheard(() => shop.stripe.openDispute(payment))
  await takeIn()
  await waitForStatus(shop.server, uid, 'disputed')
  expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
  await unheard(() => shop.stripe.closeDispute(payment, 'won'))
  await takeIn()
  await waitForStatus(shop.server, uid, 'paid')
  expect(await findLicense(shop.server, buyer, game.uid)).toMatchObject({ orderUid: uid })
})

test('a payment whose events never come gives the licence', async () => {
  const buyer = await signUpBuyer(shop)
  const game = await insertForSale(shop, seller)
  const paid = await checkOut(buyer, game.uid)
  await unheard(() => shop.stripe.pay(paid.url))
  await takeIn()
  await waitForStatus(shop.server, paid.order_uid, 'paid')
  expect(await findLicense(shop.server, buyer, game.uid)).not.toBeNull()
})

test('what is younger than two minutes is left to the webhook', async () => {
  const { uid, payment } = await sell()
  shop.stripe.hold(true)
  await refund(payment, 1000)
  shop.stripe.hold(false)
  const event = shop.stripe.books.events.findLast(({ type }) => type === 'charge.refunded')
  await takeIn()
  const { db } = shop.server.deps
  expect(await db.$count(stripeEvents, eq(stripeEvents.id, event?.id ?? ''))).toBe(0)
  expect((await findOrder(shop.server, uid)).status).toBe('paid')
})

test('a run reads on where the last one ended', async () => {
  await unheard(() => undefined)
  await takeIn()
  expect(await countPages(takeIn)).toBe(1)
  const { uid, payment } = await sell()
  await unheard(async () => {
    for (let made = 0; made < 250; made += 1) await refund(payment, 1)
  })
  // 500 events about the refunds, and the one about the payment.
  expect(await countPages(takeIn)).toBe(6)
  await waitFor('the refunds', async () => (await findOrder(shop.server, uid)).refundedCents === 250)
})

test('an event that Stripe has forgotten, or of another account, starts the list anew', async () => {
  await shop.server.deps.db.update(stripeProgress).set({ eventId: 'evt_forgotten' })
  const { uid, payment } = await sell()
  await unheard(() => refund(payment, 1000))
  await takeIn()
  await waitForStatus(shop.server, uid, 'refunded')
  const [row] = await shop.server.deps.db.select().from(stripeProgress)
  expect(row?.eventId).not.toBe('evt_forgotten')
})

test('an unreachable Stripe, or a key that may not read events, ends nothing', async () => {
  const { uid, payment } = await sell()
  await unheard(() => refund(payment, 1000))
  shop.stripe.fail('GET events', '500')
  await takeIn()
  expect((await findOrder(shop.server, uid)).status).toBe('paid')
  shop.stripe.heal()
  await takeIn()
  await waitForStatus(shop.server, uid, 'refunded')
})
