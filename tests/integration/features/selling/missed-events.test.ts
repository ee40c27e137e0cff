import { beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { stripeEvents, stripeProgress } from '../../../../src/db/schema/selling.ts'
import { fetchMissed } from '../../../../src/features/selling/webhooks/jobs.ts'
import { fetchMissedEvents } from '../../../../src/features/selling/webhooks/service.ts'
import { pauseCron } from '../../../helpers/jobs.ts'
import { countMails, waitForMail } from '../../../helpers/mails.ts'
import type { Person } from '../../../helpers/people.ts'
import {
  checkOut,
  findLicense,
  findOrder,
  insertForSale,
  sell,
  signUpBuyer,
  signUpSeller,
  useShop,
  waitForStatus,
} from '../../../helpers/selling/selling.ts'
import { waitFor } from '../../../helpers/wait.ts'

const HOUR = 60 * 60

const shop = useShop()
let seller: Person
beforeAll(async () => {
  seller = await signUpSeller(shop)
  // The job reads the same list.
  await pauseCron(shop.server, fetchMissed)
})

const fetchEvents = () => fetchMissedEvents(shop.server.deps, new AbortController().signal)

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

test('a refund whose events never come ends the licence', async () => {
  const { buyer, game, uid, payment } = await sell(shop, seller)
  await unheard(() => shop.stripe.refund(payment, 1000))
  expect((await findOrder(shop.server, uid)).status).toBe('paid')
  await fetchEvents()
  await waitForStatus(shop.server, uid, 'refunded')
  expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
  const subject = `Refund: ${game.name}`
  await waitForMail(shop.server, buyer.email, subject)
  for (const event of shop.stripe.books.events) await shop.stripe.send(event)
  await fetchEvents()
  expect(await countMails(shop.server, buyer.email, subject)).toBe(1)
})

test('a dispute whose events never come suspends the licence, and gives it back once it is won', async () => {
  const { buyer, game, uid, payment } = await sell(shop, seller)
  await unheard(() => shop.stripe.openDispute(payment))
  await fetchEvents()
  await waitForStatus(shop.server, uid, 'disputed')
  expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
  await unheard(() => shop.stripe.closeDispute(payment, 'won'))
  await fetchEvents()
  await waitForStatus(shop.server, uid, 'paid')
  expect(await findLicense(shop.server, buyer, game.uid)).toMatchObject({ orderUid: uid })
})

test('a payment whose events never come gives the licence', async () => {
  const buyer = await signUpBuyer(shop)
  const game = await insertForSale(shop, seller)
  const paid = await checkOut(buyer, game.uid)
  await unheard(() => shop.stripe.pay(paid.url))
  await fetchEvents()
  await waitForStatus(shop.server, paid.order_uid, 'paid')
  expect(await findLicense(shop.server, buyer, game.uid)).not.toBeNull()
})

test('what is younger than two minutes is left to the webhook', async () => {
  const { uid, payment } = await sell(shop, seller)
  shop.stripe.hold(true)
  shop.stripe.refund(payment, 1000)
  shop.stripe.hold(false)
  const event = shop.stripe.books.events.findLast(({ type }) => type === 'charge.refunded')
  await fetchEvents()
  const { db } = shop.server.deps
  expect(await db.$count(stripeEvents, eq(stripeEvents.id, event?.id ?? ''))).toBe(0)
  expect((await findOrder(shop.server, uid)).status).toBe('paid')
})

test('a run reads on where the last one ended', async () => {
  await unheard(() => undefined)
  await fetchEvents()
  expect(await countPages(fetchEvents)).toBe(1)
  const { uid, payment } = await sell(shop, seller)
  await unheard(() => {
    for (let made = 0; made < 250; made += 1) shop.stripe.refund(payment, 1)
  })
  // 500 events about the refunds, and the one about the payment.
  expect(await countPages(fetchEvents)).toBe(6)
  await waitFor('the refunds', async () => (await findOrder(shop.server, uid)).refundedCents === 250)
})

test('an event that Stripe has forgotten, or of another account, starts the list anew', async () => {
  await shop.server.deps.db.update(stripeProgress).set({ eventId: 'evt_forgotten' })
  const { uid, payment } = await sell(shop, seller)
  await unheard(() => shop.stripe.refund(payment, 1000))
  await fetchEvents()
  await waitForStatus(shop.server, uid, 'refunded')
  const [row] = await shop.server.deps.db.select().from(stripeProgress)
  expect(row?.eventId).not.toBe('evt_forgotten')
})

test('an unreachable Stripe, or a key that may not read events, ends nothing', async () => {
  const { uid, payment } = await sell(shop, seller)
  await unheard(() => shop.stripe.refund(payment, 1000))
  shop.stripe.fail('GET events', '500')
  await fetchEvents()
  expect((await findOrder(shop.server, uid)).status).toBe('paid')
  shop.stripe.heal()
  await fetchEvents()
  await waitForStatus(shop.server, uid, 'refunded')
})
