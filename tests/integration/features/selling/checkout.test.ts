import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { orders } from '../../../../src/db/schema/selling.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import type { Order } from '../../../../src/features/selling/orders/model.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import {
  accountOf,
  addEdition,
  askToCheckOut,
  buy,
  checkOut,
  findLicense,
  findOrder,
  holdUp,
  insertForSale,
  makeCode,
  readOrder,
  redeem,
  signUpBuyer,
  signUpSeller,
  useShop,
  waitForStatus,
} from '../../../helpers/selling/selling.ts'
import { READY } from '../../../helpers/stripe-double/double.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const shop = useShop()
let seller: Person
beforeAll(async () => {
  seller = await signUpSeller(shop)
})

async function refuse(person: Person, gameUid: string, body: object = {}) {
  const answer = await askToCheckOut(person, gameUid, body)
  return [answer.status, (await readFailure(answer)).code]
}

const insertEdition = (gameUid: string, priceCents = 1999, active = true) =>
  addEdition(shop.server, gameUid, { priceCents, active })

describe('buying', () => {
  test('an order is paid on the page of Stripe, and gives the licence, the receipt and the fee', async () => {
    const game = await insertForSale(shop, seller, { priceCents: 1005 })
    const buyer = await signUpBuyer(shop)
    const { order_uid, url, expires_at } = await checkOut(buyer, game.uid)
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now() + 30 * 60_000)
    expect(await readOrder(buyer, order_uid)).toMatchObject({ status: 'open', paid_at: null })
    expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
    shop.stripe.pay(url)
    await waitForStatus(shop.server, order_uid, 'paid')
    const order = await readOrder(buyer, order_uid)
    expect(order).toMatchObject({
      uid: order_uid,
      game: { uid: game.uid, name: game.name },
      edition: null,
      amount_cents: 1005,
      // Half a cent is rounded up.
      fee_cents: 101,
      currency: 'USD',
      status: 'paid',
      refunded_cents: 0,
    })
    expect(order.receipt_url).toStartWith(`${shop.stripe.origin}/receipts/`)
    const license = await findLicense(shop.server, buyer, game.uid)
    expect(license).toMatchObject({ source: 'bought', orderUid: order_uid, editionUid: null })
    const { paymentId } = await findOrder(shop.server, order_uid)
    const intent = shop.stripe.books.intents.get(paymentId ?? '')
    expect(intent).toMatchObject({ amount: 1005, application_fee_amount: 101, currency: 'usd' })
    expect(intent?.statement_descriptor_suffix).toBe('PLAYSHELF')
  })

  test('the order asks Stripe by itself when no event comes', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const { order_uid, url } = await checkOut(buyer, game.uid)
    shop.stripe.hold(true)
    shop.stripe.pay(url)
    shop.stripe.hold(false)
    // Once a second at most: the job that runs every minute may have asked before the payment.
    const isPaid = async () => (await readOrder(buyer, order_uid)).status === 'paid'
    await waitFor('the payment', isPaid, PROMPT_MS)
    expect(await findLicense(shop.server, buyer, game.uid)).not.toBeNull()
  })

  test('looking at an open order 200 times asks few questions, and writes nothing where nothing changed', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const { order_uid, url } = await checkOut(buyer, game.uid)
    const { revision } = await findOrder(shop.server, order_uid)
    const call = `GET checkout/sessions/${url.split('/').at(-1)}`
    const from = shop.stripe.requests.length
    const looks = await Promise.all(
      Array.from({ length: 160 }, () => buyer.fetch(`/api/v1/private/orders/${order_uid}`)),
    )
    for (let times = 0; times < 40; times += 1) await readOrder(buyer, order_uid)
    expect(new Set(looks.map(({ status }) => status))).toEqual(new Set([200]))
    const asked = shop.stripe.requests.slice(from).filter((seen) => seen === call)
    // One more for the job that runs every minute.
    expect(asked.length).toBeLessThanOrEqual(LIMITS.stripe_questions.max + 1)
    expect((await findOrder(shop.server, order_uid)).revision).toBe(revision)
  })

  test('a buyer has 20 open orders at most; one that is cancelled makes room', async () => {
    const buyer = await signUpBuyer(shop)
    const games = await Promise.all(Array.from({ length: 22 }, () => insertForSale(shop, seller)))
    const answers = await Promise.all(games.slice(0, 21).map(({ uid }) => askToCheckOut(buyer, uid)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
    const refused = answers.find(({ status }) => status !== 201)
    if (!refused) throw new Error('None was refused')
    const failure = await readFailure(refused)
    expect([failure.status, failure.code]).toEqual([409, 4090])
    expect(failure.message).toContain('Pay or cancel one')
    const first = answers.find(({ status }) => status === 201)
    if (!first) throw new Error('None was made')
    const { order_uid } = await readData<{ order_uid: string }>(first)
    await buyer.fetch(`/orders/${order_uid}/cancel`, { method: 'POST', body: new URLSearchParams() })
    await waitForStatus(shop.server, order_uid, 'expired')
    expect((await askToCheckOut(buyer, games[21]?.uid ?? '')).status).toBe(201)
  })

  test('the same open order is answered again, another amount or edition replaces it', async () => {
    const game = await insertForSale(shop, seller, { payMore: true })
    const deluxe = await insertEdition(game.uid, 1999)
    const buyer = await signUpBuyer(shop)
    const first = await checkOut(buyer, game.uid)
    expect(await checkOut(buyer, game.uid)).toEqual(first)
    const many = await Promise.all(Array.from({ length: 10 }, () => checkOut(buyer, game.uid)))
    expect(new Set(many.map(({ order_uid }) => order_uid))).toEqual(new Set([first.order_uid]))
    const second = await checkOut(buyer, game.uid, { amount_cents: 2000 })
    const third = await checkOut(buyer, game.uid, { edition_uid: deluxe })
    expect(new Set([first.order_uid, second.order_uid, third.order_uid]).size).toBe(3)
    expect(() => shop.stripe.pay(first.url)).toThrow()
    expect(() => shop.stripe.pay(second.url)).toThrow()
    expect((await findOrder(shop.server, first.order_uid)).status).toBe('expired')
  })

  test('ten clicks at once make one session at Stripe', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const answers = await Promise.all(Array.from({ length: 10 }, () => askToCheckOut(buyer, game.uid)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const urls = await Promise.all(
      answers.map(async (answer) => (await readData<{ url: string }>(answer)).url),
    )
    expect(new Set(urls).size).toBe(1)
  })

  test('an order that is older than 30 minutes is replaced', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const first = await checkOut(buyer, game.uid)
    const createdAt = new Date(Date.now() - 31 * 60_000)
    await shop.server.deps.db.update(orders).set({ createdAt }).where(eq(orders.uid, first.order_uid))
    const second = await checkOut(buyer, game.uid)
    expect(second.order_uid).not.toBe(first.order_uid)
    expect(() => shop.stripe.pay(first.url)).toThrow()
  })

  test('the price is the one of the order, not the one of the payment', async () => {
    const game = await insertForSale(shop, seller, { priceCents: 500 })
    const buyer = await signUpBuyer(shop)
    const { order_uid, url } = await checkOut(buyer, game.uid)
    await shop.server.deps.db.update(games).set({ priceCents: 5000 }).where(eq(games.uid, game.uid))
    shop.stripe.pay(url)
    await waitForStatus(shop.server, order_uid, 'paid')
    expect((await readOrder(buyer, order_uid)).amount_cents).toBe(500)
  })

  test('nobody pays twice for an edition; another one is added', async () => {
    const game = await insertForSale(shop, seller)
    const deluxe = await insertEdition(game.uid, 1999)
    const gold = await insertEdition(game.uid, 2999)
    const buyer = await signUpBuyer(shop)
    await buy(shop, buyer, game.uid, { edition_uid: deluxe })
    expect(await refuse(buyer, game.uid, { edition_uid: deluxe })).toEqual([409, 4117])
    expect(await refuse(buyer, game.uid)).toEqual([409, 4117])
    const order = await buy(shop, buyer, game.uid, { edition_uid: gold })
    expect(order).toMatchObject({ edition: { uid: gold, name: 'Deluxe' }, amount_cents: 2999 })
    const { items, total } = await readData<Paged<Order>>(await buyer.fetch('/api/v1/private/orders?page=1'))
    expect(total).toBe(2)
    expect(items.map(({ amount_cents }) => amount_cents)).toEqual([2999, 1999])
    // The licence rests on what was bought first.
    expect(await findLicense(shop.server, buyer, game.uid)).toMatchObject({ editionUid: deluxe })
  })

  test('what is paid while another request is about to order it cannot be ordered again', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const { begun } = await holdUp(
      shop.server,
      buyer,
      game.uid,
      () => askToCheckOut(buyer, game.uid),
      async (tx) => void (await tx.insert(orders).values(paidOrder(buyer, game))),
    )
    const answer = await begun
    expect([answer.status, (await readFailure(answer)).code]).toEqual([409, 4117])
  })

  test('who pays while the answer to the checkout is on its way still gets the licence once', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    shop.stripe.fail('POST checkout/sessions', 'slow', 1)
    const asked = askToCheckOut(buyer, game.uid)
    const session = await waitForSession(buyer)
    shop.stripe.pay(session)
    const { order_uid } = await readData<{ order_uid: string }>(await asked)
    await waitForStatus(shop.server, order_uid, 'paid')
    expect(await findLicense(shop.server, buyer, game.uid)).toMatchObject({ orderUid: order_uid })
  })
})

function paidOrder(buyer: Person, { uid: gameUid, name: gameName, ownerUid: sellerUid }: GameRow) {
  const moments = { paidAt: new Date(), expiresAt: new Date() }
  const money = { amountCents: 999, feeCents: 99, accountId: 'acct_x', status: 'paid' as const }
  return { uid: createUid(), userUid: buyer.uid, sellerUid, gameUid, gameName, ...money, ...moments }
}

async function waitForSession({ email }: Person): Promise<string> {
  for (;;) {
    for (const { customer_details, id } of shop.stripe.books.sessions.values())
      if (customer_details?.email === email) return id
    await Bun.sleep(5)
  }
}

describe('what cannot be bought', () => {
  test('an address that is not confirmed', async () => {
    const game = await insertForSale(shop, seller)
    expect(await refuse(await signUp(shop.server), game.uid)).toEqual([403, 4096])
  })

  test('a listing without a price, hidden, or whose owner cannot take charges', async () => {
    const buyer = await signUpBuyer(shop)
    const free = await insertForSale(shop, seller, { priceCents: 0 })
    expect(await refuse(buyer, free.uid)).toEqual([409, 4116])
    const invisible = await insertForSale(shop, seller, { visibility: 'invisible' })
    expect(await refuse(buyer, invisible.uid)).toEqual([409, 4116])
    const draft = await insertForSale(shop, seller, { visibility: 'draft' })
    expect(await refuse(buyer, draft.uid)).toEqual([404, 4040])
    const other = await signUpBuyer(shop)
    const unconnected = await insertPublicGame(shop.server, other, { priceCents: 999 })
    expect(await refuse(buyer, unconnected.uid)).toEqual([409, 4116])
  })

  test('an adult listing, without adult content in the account', async () => {
    const game = await insertForSale(shop, seller, { adult: true })
    expect(await refuse(await signUpBuyer(shop), game.uid)).toEqual([403, 4030])
  })

  test('an edition that is not offered, or of another listing', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const old = await insertEdition(game.uid, 1999, false)
    expect(await refuse(buyer, game.uid, { edition_uid: old })).toEqual([409, 4116])
    const other = await insertEdition((await insertForSale(shop, seller)).uid, 1999)
    expect(await refuse(buyer, game.uid, { edition_uid: other })).toEqual([400, 4000])
  })

  test('what one has, or works on', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    await insertLicense(shop.server, game.uid, buyer, { source: 'granted' })
    expect(await refuse(buyer, game.uid)).toEqual([409, 4117])
    expect(await refuse(seller, game.uid)).toEqual([409, 4117])
  })

  test('an amount that the listing does not allow; one that it allows is the amount of the order', async () => {
    const buyer = await signUpBuyer(shop)
    const fixed = await insertForSale(shop, seller, { priceCents: 1000 })
    expect(await refuse(buyer, fixed.uid, { amount_cents: 1001 })).toEqual([400, 4000])
    const open = await insertForSale(shop, seller, { priceCents: 1000, payMore: true })
    expect((await askToCheckOut(buyer, open.uid, { amount_cents: 10_000 })).status).toBe(201)
    const free = await insertForSale(shop, seller, { priceCents: 0, payMore: true })
    expect(await refuse(buyer, free.uid)).toEqual([400, 4000])
    const order = await buy(shop, buyer, free.uid, { amount_cents: 300 })
    expect(order).toMatchObject({ amount_cents: 300, fee_cents: 30 })
    expect(await findLicense(shop.server, buyer, free.uid)).toMatchObject({ source: 'bought' })
  })
})

describe('a Stripe that fails', () => {
  test.each(['500', 'reset'] as const)('%s: 5021, and nothing is left of the order', async (fault) => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    shop.stripe.fail('POST checkout/sessions', fault)
    expect(await refuse(buyer, game.uid)).toEqual([502, 5021])
    shop.stripe.heal()
    const left = await shop.server.deps.db.$count(orders, eq(orders.gameUid, game.uid))
    expect(left).toBe(0)
    expect((await askToCheckOut(buyer, game.uid)).status).toBe(201)
  })

  test('a lost answer makes no second session', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    shop.stripe.fail('POST checkout/sessions', 'lost', 1)
    const { url } = await checkOut(buyer, game.uid)
    const made = [...shop.stripe.books.sessions.values()].filter(
      ({ customer_details }) => customer_details?.email === buyer.email,
    )
    expect(made.map((session) => session.url)).toEqual([url])
  })

  test('a refusal of Stripe is told as 5021', async () => {
    const game = await insertForSale(shop, seller)
    const account = accountOf(shop, seller)
    account.charges_enabled = false
    const buyer = await signUpBuyer(shop)
    expect(await refuse(buyer, game.uid)).toEqual([502, 5021])
    // The event about the account never came: the refusal is the reason to ask.
    await waitFor('not for sale', async () => (await askToCheckOut(buyer, game.uid)).status === 409)
    shop.stripe.changeAccount(account.id, READY)
    await waitFor('for sale again', async () => (await askToCheckOut(buyer, game.uid)).status === 201)
  })
})

describe('keys', () => {
  test('what was redeemed cannot be bought, and what was bought keeps the code', async () => {
    const game = await insertForSale(shop, seller)
    const edition_uid = await insertEdition(game.uid)
    const player = await signUpBuyer(shop)
    expect((await redeem(player, await makeCode(seller, game.uid, { edition_uid }))).status).toBe(200)
    for (const body of [{}, { edition_uid }])
      expect(await readFailure(await askToCheckOut(player, game.uid, body))).toMatchObject({
        status: 409,
        code: 4117,
      })
    const buyer = await signUpBuyer(shop)
    await buy(shop, buyer, game.uid)
    const code = await makeCode(seller, game.uid)
    expect(await readFailure(await redeem(buyer, code))).toMatchObject({ status: 409, code: 4117 })
    expect((await redeem(await signUpBuyer(shop), code)).status).toBe(200)
  })

  test('a refund does not end what was redeemed', async () => {
    const game = await insertForSale(shop, seller)
    const edition_uid = await insertEdition(game.uid)
    const buyer = await signUpBuyer(shop)
    const { uid } = await buy(shop, buyer, game.uid)
    expect((await redeem(buyer, await makeCode(seller, game.uid, { edition_uid }))).status).toBe(200)
    expect((await buyer.json('POST', `/api/v1/private/orders/${uid}/refund`, {})).status).toBe(200)
    await waitForStatus(shop.server, uid, 'refunded')
    expect(await findLicense(shop.server, buyer, game.uid)).toMatchObject({
      source: 'key',
      editionUid: edition_uid,
    })
  })

  test('redeeming ends the open order for the same, and leaves one for another edition', async () => {
    const game = await insertForSale(shop, seller)
    const edition_uid = await insertEdition(game.uid)
    const [first, second] = [await signUpBuyer(shop), await signUpBuyer(shop)]
    const [own, other] = [await checkOut(first, game.uid), await checkOut(second, game.uid, { edition_uid })]
    for (const person of [second, first])
      expect((await redeem(person, await makeCode(seller, game.uid))).status).toBe(200)
    await waitForStatus(shop.server, own.order_uid, 'expired')
    shop.stripe.pay(other.url)
    await waitForStatus(shop.server, other.order_uid, 'paid')
  })
})
