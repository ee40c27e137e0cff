import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { refunds } from '../../src/db/schema/selling/orders.ts'
import type { Checkout } from '../../src/features/selling/checkout/model.ts'
import { askAboutOpen } from '../../src/features/selling/orders/reconcile.ts'
import { readData } from '../helpers/json.ts'
import type { Person } from '../helpers/people.ts'
import { type KilledShop, startKilledShop } from '../helpers/selling-child.ts'
import { findLicense, findOrder, insertForSale, signUpBuyer, waitForStatus } from '../helpers/selling.ts'
import { waitFor } from '../helpers/wait.ts'

let shop: KilledShop
let seller: Person
beforeAll(async () => {
  shop = await startKilledShop()
  seller = await shop.signUpSeller()
}, 120_000)
afterAll(() => shop.stop())

/** Kills the store when Stripe has carried out a call, or is about to. */
function killAt(call: string, when: 'before' | 'after'): Promise<void> {
  return new Promise((resolve) => {
    shop.stripe.watch((seen, at) => {
      if (!seen.startsWith(call) || at !== when) return
      shop.stripe.watch(null)
      shop.kill()
      resolve()
    })
  })
}

async function order(buyer: Person, gameUid: string): Promise<Response | null> {
  const path = `/api/v1/private/games/${gameUid}/checkout`
  return await shop
    .at(buyer)
    .json('POST', path, {})
    .catch(() => null)
}

async function orderAgain(buyer: Person, gameUid: string): Promise<Checkout> {
  const answer = await order(buyer, gameUid)
  if (answer?.status !== 201) throw new Error(`Checkout answered ${await answer?.text()}`)
  return await readData<Checkout>(answer)
}

const sessionsOf = ({ email }: Person) =>
  [...shop.stripe.books.sessions.values()].filter(({ customer_details }) => customer_details?.email === email)

async function prepare(): Promise<{ buyer: Person; gameUid: string }> {
  const game = await insertForSale(shop, seller, { priceCents: 1000 })
  return { buyer: await signUpBuyer(shop), gameUid: game.uid }
}

/** Everything settles by itself: the licence is there once, and the money was taken once. */
async function expectBought({ buyer, gameUid }: { buyer: Person; gameUid: string }, orderUid: string) {
  await waitForStatus(shop.server, orderUid, 'paid')
  expect(await findLicense(shop.server, buyer, gameUid)).toMatchObject({ orderUid })
  expect(sessionsOf(buyer).filter(({ status }) => status === 'complete')).toHaveLength(1)
}

describe('the store is killed while somebody buys', () => {
  test.each(['before', 'after'] as const)(
    '%s Stripe makes the session',
    async (when) => {
      const sale = await prepare()
      const killed = killAt('POST checkout/sessions', when)
      const answer = await order(sale.buyer, sale.gameUid)
      expect(answer).toBeNull()
      await killed
      await shop.start()
      const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
      expect(sessionsOf(sale.buyer)).toHaveLength(1)
      shop.stripe.pay(url)
      await expectBought(sale, order_uid)
    },
    120_000,
  )

  test('between the answer and the payment', async () => {
    const sale = await prepare()
    const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
    shop.kill()
    shop.stripe.pay(url)
    await shop.start()
    await expectBought(sale, order_uid)
  }, 120_000)

  test.each(['before', 'after'] as const)(
    '%s the job reads the payment',
    async (when) => {
      const sale = await prepare()
      const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
      const killed = killAt('GET checkout/sessions', when)
      shop.stripe.pay(url)
      await killed
      await shop.start()
      await expectBought(sale, order_uid)
    },
    120_000,
  )
})

describe('the store is killed while an order is refunded', () => {
  test.each([
    ['GET refunds', 'before'],
    ['POST refunds', 'before'],
    ['POST refunds', 'after'],
    ['GET checkout/sessions', 'before'],
  ] as const)(
    '%s, %s',
    async (call, when) => {
      const sale = await prepare()
      const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
      shop.stripe.pay(url)
      await waitForStatus(shop.server, order_uid, 'paid')
      const killed = killAt(call, when)
      const path = `/api/v1/private/orders/${order_uid}/refund`
      const answer = shop
        .at(sale.buyer)
        .json('POST', path, {})
        .catch(() => null)
      await killed
      expect(await answer).toBeNull()
      await shop.start()
      await waitFor(
        'the refund',
        async () => (await findOrder(shop.server, order_uid)).status === 'refunded',
        60_000,
      )
      const { paymentId } = await findOrder(shop.server, order_uid)
      const made = [...shop.stripe.books.refunds.values()].filter(
        ({ payment_intent }) => payment_intent === paymentId,
      )
      expect(made.map(({ amount }) => amount)).toEqual([1000])
      expect(await findLicense(shop.server, sale.buyer, sale.gameUid)).toBeNull()
    },
    120_000,
  )
})

test('no promised refund stays open', async () => {
  const countPending = () => shop.server.deps.db.$count(refunds, eq(refunds.state, 'pending'))
  await waitFor('the jobs', async () => (await countPending()) === 0, 90_000)
}, 120_000)

test('events that never come are made up for', async () => {
  const sale = await prepare()
  const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
  shop.stripe.route(() => undefined)
  shop.stripe.pay(url)
  shop.stripe.route(null)
  await askAboutOpen(shop.server.deps, new AbortController().signal)
  await expectBought(sale, order_uid)
})
