import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../src/db/schema/accounts.ts'
import { orders, refunds } from '../../src/db/schema/selling.ts'
import type { Checkout } from '../../src/features/selling/orders/model.ts'
import { lockOrder } from '../../src/features/selling/orders/queries.ts'
import { pollOpenOrders } from '../../src/features/selling/orders/settle.ts'
import { readData } from '../helpers/json.ts'
import type { Person } from '../helpers/people.ts'
import { type KilledShop, startKilledShop } from '../helpers/selling/child.ts'
import {
  chargeOf,
  findLicense,
  findOrder,
  holdUp,
  insertForSale,
  sessionIdOf,
  signUpBuyer,
  waitForLocked,
  waitForShare,
  waitForStatus,
} from '../helpers/selling/selling.ts'
import { waitFor } from '../helpers/wait.ts'

interface Sale {
  buyer: Person
  gameUid: string
}

let shop: KilledShop
let seller: Person
beforeAll(async () => {
  shop = await startKilledShop()
  seller = await shop.signUpSeller()
})
afterAll(() => shop.stop())

/** Kills the store when Stripe has carried out a call, or before the call reaches it. */
function killAt(call: string, when: 'before' | 'after', isDue = () => true): Promise<void> {
  return new Promise((resolve) => {
    shop.stripe.watch((seen, at) => {
      if (!seen.startsWith(call) || at !== when || !isDue()) return undefined
      shop.stripe.watch(null)
      shop.kill()
      resolve()
      return when === 'before' ? 'lost' : undefined
    })
  })
}

/** Kills the store in the middle of the transaction that gives, orders or ends the licence. */
async function killHeldUp<Begun>({ buyer, gameUid }: Sale, begin: () => Begun): Promise<{ begun: Begun }> {
  return await holdUp(shop.server, buyer, gameUid, begin, () => shop.kill())
}

async function order(buyer: Person, gameUid: string, body: object = {}): Promise<Response | null> {
  const path = `/api/v1/private/games/${gameUid}/checkout`
  return await shop
    .at(buyer)
    .json('POST', path, body)
    .catch(() => null)
}

async function orderAgain(buyer: Person, gameUid: string, body: object = {}): Promise<Checkout> {
  const answer = await order(buyer, gameUid, body)
  if (answer?.status !== 201) throw new Error(`Checkout answered ${await answer?.text()}`)
  return await readData<Checkout>(answer)
}

const sessionsOf = ({ email }: Person) =>
  [...shop.stripe.books.sessions.values()].filter(({ customer_details }) => customer_details?.email === email)

async function prepare(): Promise<Sale> {
  const game = await insertForSale(shop, seller, { priceCents: 1000, payMore: true })
  return { buyer: await signUpBuyer(shop), gameUid: game.uid }
}

/** Everything settles by itself: the licence is there once, and the money was taken once. */
async function expectBought({ buyer, gameUid }: Sale, orderUid: string) {
  await waitForStatus(shop.server, orderUid, 'paid')
  expect(await findLicense(shop.server, buyer, gameUid)).toMatchObject({ orderUid })
  expect(sessionsOf(buyer).filter(({ status }) => status === 'complete')).toHaveLength(1)
}

describe('the store is killed while somebody buys', () => {
  test('while the order is written', async () => {
    const sale = await prepare()
    const { begun } = await killHeldUp(sale, () => order(sale.buyer, sale.gameUid))
    expect(await begun).toBeNull()
    await shop.start()
    expect(sessionsOf(sale.buyer)).toHaveLength(0)
    const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
    shop.stripe.pay(url)
    await expectBought(sale, order_uid)
  })

  test.each(['before', 'after'] as const)('%s Stripe makes the session', async (when) => {
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
  })

  test('between the answer and the payment', async () => {
    const sale = await prepare()
    const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
    shop.kill()
    shop.stripe.pay(url)
    await shop.start()
    await expectBought(sale, order_uid)
  })

  test.each(['before', 'after'] as const)('%s the job reads the payment', async (when) => {
    const sale = await prepare()
    const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
    const killed = killAt(`GET checkout/sessions/${sessionIdOf(url)}`, when)
    shop.stripe.pay(url)
    await killed
    await shop.start()
    await expectBought(sale, order_uid)
  })

  test('while the payment is written with its licence', async () => {
    const sale = await prepare()
    const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
    await killHeldUp(sale, () => shop.stripe.pay(url))
    expect((await findOrder(shop.server, order_uid)).status).toBe('open')
    await shop.start()
    await expectBought(sale, order_uid)
  })

  test.each(['before', 'after'] as const)(
    '%s Stripe ends the session of an order that another amount replaces',
    async (when) => {
      const sale = await prepare()
      const first = await orderAgain(sale.buyer, sale.gameUid)
      const killed = killAt(`POST checkout/sessions/${sessionIdOf(first.url)}/expire`, when)
      const body = { amount_cents: 2000 }
      expect(await order(sale.buyer, sale.gameUid, body)).toBeNull()
      await killed
      await shop.start()
      const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid, body)
      expect(() => shop.stripe.pay(first.url)).toThrow()
      shop.stripe.pay(url)
      await expectBought(sale, order_uid)
      await waitForStatus(shop.server, first.order_uid, 'expired')
    },
  )
})

async function prepareBought() {
  const sale = await prepare()
  const { order_uid: orderUid, url } = await orderAgain(sale.buyer, sale.gameUid)
  shop.stripe.pay(url)
  await waitForStatus(shop.server, orderUid, 'paid')
  const refund = () =>
    shop
      .at(sale.buyer)
      .json('POST', `/api/v1/private/orders/${orderUid}/refund`, {})
      .catch(() => null)
  return { ...sale, orderUid, refund, bought: await findOrder(shop.server, orderUid) }
}

const refundsOf = ({ paymentId }: Pick<Awaited<ReturnType<typeof findOrder>>, 'paymentId'>) =>
  [...shop.stripe.books.refunds.values()]
    .filter(({ payment_intent }) => payment_intent === paymentId)
    .map(({ amount }) => amount)

/** Everything settles by itself: the money went back once, and the licence ended. */
async function expectRefunded({ buyer, gameUid, orderUid }: Sale & { orderUid: string }): Promise<void> {
  await waitForStatus(shop.server, orderUid, 'refunded')
  expect(refundsOf(await findOrder(shop.server, orderUid))).toEqual([1000])
  expect(await findLicense(shop.server, buyer, gameUid)).toBeNull()
}

describe('the store is killed while an order is refunded', () => {
  test('while the refund is stored: nothing is given back, and the buyer can ask again', async () => {
    const sale = await prepareBought()
    const { answer } = await shop.server.deps.db.transaction(async (tx) => {
      await lockOrder(tx, sale.orderUid)
      const begun = sale.refund()
      await waitForLocked(tx)
      shop.kill()
      return { answer: begun }
    })
    expect(await answer).toBeNull()
    await shop.start()
    expect(refundsOf(sale.bought)).toEqual([])
    expect((await sale.refund())?.status).toBe(200)
    await expectRefunded(sale)
  })

  test.each([
    ['before it looks for earlier refunds', 'GET refunds', 'before'],
    ['after it looked for earlier refunds', 'GET refunds', 'after'],
    ['before Stripe gives the money back', 'POST refunds', 'before'],
    ['after Stripe gave the money back', 'POST refunds', 'after'],
    ['before it reads the payment', 'GET checkout/sessions', 'before'],
    ['after it read the payment', 'GET checkout/sessions', 'after'],
  ] as const)('%s', async (_, call, when) => {
    const sale = await prepareBought()
    const { bought } = sale
    // The events of the purchase may still be read; this is the read after the refund.
    const killed =
      call === 'GET checkout/sessions'
        ? killAt(`${call}/${bought.sessionId}`, when, () => refundsOf(bought).length > 0)
        : killAt(call, when)
    const answer = sale.refund()
    await killed
    expect(await answer).toBeNull()
    await shop.start()
    await expectRefunded(sale)
  })

  test('while the refund is written and the licence ends', async () => {
    const sale = await prepareBought()
    const { begun } = await holdUp(shop.server, sale.buyer, sale.gameUid, sale.refund, async () => {
      // The first who waits may be a late reader of the payment.
      await waitFor('the refund at Stripe', () => refundsOf(sale.bought).length > 0)
      shop.kill()
    })
    expect(await begun).toBeNull()
    await shop.start()
    await expectRefunded(sale)
  })

  test.each(['before', 'after'] as const)(
    '%s Stripe gives back what was paid by an account that was deleted meanwhile',
    async (when) => {
      const sale = await prepare()
      const { order_uid: orderUid, url } = await orderAgain(sale.buyer, sale.gameUid)
      await shop.server.deps.db.delete(users).where(eq(users.id, sale.buyer.uid))
      const killed = killAt('POST refunds', when)
      shop.stripe.pay(url)
      await killed
      await shop.start()
      await expectRefunded({ ...sale, orderUid })
    },
  )
})

describe.each(['before', 'after'] as const)('the store is killed %s Stripe ends a closed order', (when) => {
  test('what was paid goes back, and what was not cannot be paid', async () => {
    const sale = await prepare()
    const { order_uid: orderUid, url } = await orderAgain(sale.buyer, sale.gameUid)
    const killed = killAt(`POST checkout/sessions/${sessionIdOf(url)}/expire`, when, () => {
      if (when === 'before') shop.stripe.pay(url)
      return true
    })
    const hide = await seller.json('PUT', `/api/v1/private/games/${sale.gameUid}/visibility`, {
      visibility: 'owner',
    })
    expect(hide.status).toBe(200)
    await killed
    expect((await findOrder(shop.server, orderUid)).status).toBe('expired')
    expect(() => shop.stripe.pay(url)).toThrow()
    await shop.start()
    if (when === 'before') await expectRefunded({ ...sale, orderUid })
    expect(await findLicense(shop.server, sale.buyer, sale.gameUid)).toBeNull()
  })
})

test.each(['before', 'after'] as const)(
  'the store is killed %s Stripe takes the money of a disputed sale back: it is taken once, and given once',
  async (when) => {
    const { orderUid, bought } = await prepareBought()
    const paymentId = bought.paymentId ?? ''
    const charge = chargeOf(shop, paymentId)
    for (const [change, cents] of [
      [() => shop.stripe.openDispute(paymentId), 0],
      [() => shop.stripe.closeDispute(paymentId, 'won'), 900],
    ] as const) {
      const moved = killAt('POST transfers', when)
      change()
      await moved
      await shop.start()
      await waitForShare(shop, charge, cents)
    }
    const later = shop.stripe.books.transfers
      .values()
      .filter(({ metadata }) => metadata.order_uid === orderUid)
    expect([...later].map(({ amount, amount_reversed }) => [amount, amount_reversed])).toEqual([[900, 0]])
  },
)

test('no refund stays pending', async () => {
  const countPending = () => shop.server.deps.db.$count(refunds, eq(refunds.state, 'pending'))
  await waitFor('the jobs', async () => (await countPending()) === 0)
})

test('events that never come are made up for', async () => {
  const sale = await prepare()
  const { order_uid, url } = await orderAgain(sale.buyer, sale.gameUid)
  shop.stripe.route(() => undefined)
  shop.stripe.pay(url)
  shop.stripe.route(null)
  // The store may have asked by itself just before the payment, and would not ask again for a minute or two.
  await shop.server.deps.db
    .update(orders)
    .set({ checkedAt: new Date(0) })
    .where(eq(orders.uid, order_uid))
  await pollOpenOrders(shop.server.deps, new AbortController().signal)
  await expectBought(sale, order_uid)
})
