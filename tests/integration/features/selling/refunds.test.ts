import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { orders, refunds } from '../../../../src/db/schema/selling.ts'
import { makeRefund, sendRefundMail } from '../../../../src/features/selling/orders/jobs.ts'
import type { Order } from '../../../../src/features/selling/orders/model.ts'
import { syncOrder } from '../../../../src/features/selling/orders/settle.ts'
import { listTaskStates } from '../../../../src/jobs/queue-view.ts'
import { makeDue } from '../../../helpers/jobs.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { setPlayMinutes } from '../../../helpers/listings.ts'
import { countMails, waitForMail } from '../../../helpers/mails.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import type { Person } from '../../../helpers/people.ts'
import {
  buy,
  checkOut,
  findLicense,
  givenBackOf,
  insertForSale,
  paymentOf,
  readOrder,
  sell,
  signUpBuyer,
  signUpSeller,
  useShop,
  waitForStatus,
} from '../../../helpers/selling/selling.ts'
import { ageConfirmation } from '../../../helpers/sign-in/factors.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { waitFor } from '../../../helpers/wait.ts'

const shop = useShop()
let seller: Person
beforeAll(async () => {
  seller = await signUpSeller(shop)
})

const refund = (person: Person, orderUid: string, body: object = {}) =>
  person.json('POST', `/api/v1/private/orders/${orderUid}/refund`, body)

async function refuse(person: Person, orderUid: string, body: object = {}) {
  const { status, code } = await readFailure(await refund(person, orderUid, body))
  return [status, code]
}

describe('by the buyer', () => {
  test('within 14 days and hardly played: everything goes back, and the licence ends', async () => {
    const { buyer, game, order } = await sell(shop, seller)
    await setPlayMinutes(shop.server, game.uid, buyer, 119)
    const answer = await refund(buyer, order.uid)
    expect(await readData<Order>(answer)).toMatchObject({ status: 'refunded', refunded_cents: 1000 })
    expect(await givenBackOf(shop, order.uid)).toEqual({ refunded: 1000, feeBack: 100, reversed: 1000 })
    expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
    await waitForMail(shop.server, buyer.email, `Refund: ${order.game.name}`)
  })

  test('played for two hours, or paid 14 days ago: refused with what to do', async () => {
    const { buyer, game, order } = await sell(shop, seller)
    await setPlayMinutes(shop.server, game.uid, buyer, 120)
    const { code, message } = await readFailure(await refund(buyer, order.uid))
    expect(code).toBe(4118)
    expect(message).toContain('Ask the developer')
    const late = await sell(shop, seller)
    const paidAt = new Date(Date.now() - 15 * 24 * 3_600_000)
    await shop.server.deps.db.update(orders).set({ paidAt }).where(eq(orders.uid, late.order.uid))
    expect(await refuse(late.buyer, late.order.uid)).toEqual([409, 4118])
  })

  test('20 clicks at once are one refund', async () => {
    const { buyer, order } = await sell(shop, seller)
    const answers = await Promise.all(Array.from({ length: 20 }, () => refund(buyer, order.uid)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 1000 })
    expect(await shop.server.deps.db.$count(refunds, eq(refunds.orderUid, order.uid))).toBe(1)
    expect((await refund(buyer, order.uid)).status).toBe(200)
  })

  test('not in part, and not an order that does not exist', async () => {
    const { buyer, order } = await sell(shop, seller)
    expect(await refuse(buyer, order.uid, { amount_cents: 1 })).toEqual([400, 4000])
    expect(await refuse(buyer, crypto.randomUUID())).toEqual([404, 4040])
  })
})

describe('a game that is bought again after it was given back', () => {
  test('has no refund as of right: the developer decides', async () => {
    const { buyer, game, order } = await sell(shop, seller)
    expect((await refund(buyer, order.uid)).status).toBe(200)
    const again = await buy(shop, buyer, game.uid)
    const { code, message } = await readFailure(await refund(buyer, again.uid))
    expect(code).toBe(4118)
    expect(message).toContain('Ask the developer')
    expect((await refund(buyer, order.uid)).status).toBe(200)
    const given = await refund(seller, again.uid, { reason: 'As an exception' })
    expect(await readData<Order>(given)).toMatchObject({ status: 'refunded' })
  })
})

describe('by the owner and by operators', () => {
  test('an owner whose session was not confirmed lately is asked to confirm, a buyer is not', async () => {
    const owner = await signUpSeller(shop)
    const game = await insertForSale(shop, owner)
    const buyer = await signUpBuyer(shop)
    const order = await buy(shop, buyer, game.uid)
    await ageConfirmation(shop.server, owner)
    await ageConfirmation(shop.server, buyer)
    expect(await refuse(owner, order.uid, { reason: 'A bug' })).toEqual([403, 4106])
    const page = await submitForm(owner, `/studio/${game.vanityName}/sales/${order.uid}/refund`, {
      reason: 'A bug',
      order_uid: order.uid,
    })
    expect(page.headers.get('location')).toContain('/confirm')
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 0 })
    expect((await refund(buyer, order.uid)).status).toBe(200)
  })

  test('several parts of an order are told in one mail', async () => {
    const { buyer, order } = await sell(shop, seller)
    for (const cents of [100, 200, 300])
      expect((await refund(seller, order.uid, { amount_cents: cents, reason: `${cents}` })).status).toBe(200)
    expect((await refund(seller, order.uid, { reason: 'The rest' })).status).toBe(200)
    const mail = await waitForMail(shop.server, buyer.email, `Refund: ${order.game.name}`)
    expect(mail.text).toContain('$10.00 of your order')
    await waitFor('an end of the mails', async () => {
      const states = await listTaskStates(shop.server.deps.db)
      return !states.some(({ task, waiting }) => task === sendRefundMail.name && waiting > 0)
    })
    expect(await countMails(shop.server, buyer.email, `Refund: ${order.game.name}`)).toBe(1)
  })

  test('of a sale without a fee: none is sent, and none is given back', async () => {
    const operator = await signUpOperator(shop.server)
    const setFee = (fee_percent: number) =>
      operator.json('PATCH', '/api/v1/operator/settings', { fee_percent })
    expect((await setFee(0)).status).toBe(200)
    const { buyer, order } = await sell(shop, seller)
    expect((await setFee(10)).status).toBe(200)
    const intent = shop.stripe.books.intents.get(await paymentOf(shop.server, order.uid))
    expect(intent?.application_fee_amount).toBeNull()
    expect(await readData<Order>(await refund(buyer, order.uid))).toMatchObject({ status: 'refunded' })
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 1000, reversed: 1000 })
  })

  test('in part: amounts only; the rest ends the licence', async () => {
    const { buyer, game, order } = await sell(shop, seller, { priceCents: 1005 })
    const part = await refund(seller, order.uid, { amount_cents: 333, reason: 'A bug' })
    expect(await readData<Order>(part)).toMatchObject({ status: 'paid', refunded_cents: 333 })
    expect(await findLicense(shop.server, buyer, game.uid)).not.toBeNull()
    expect(await refuse(seller, order.uid, { amount_cents: 1000, reason: 'Too much' })).toEqual([400, 4000])
    const rest = await refund(seller, order.uid, { reason: 'The rest' })
    expect(await readData<Order>(rest)).toMatchObject({ status: 'refunded', refunded_cents: 1005 })
    expect(await givenBackOf(shop, order.uid)).toEqual({ refunded: 1005, feeBack: 101, reversed: 1005 })
    expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
    expect(await refuse(seller, order.uid, { reason: 'Once more' })).toEqual([409, 4118])
  })

  test('the same part that is sent again is given once', async () => {
    const { order } = await sell(shop, seller)
    const wish = { amount_cents: 200, reason: 'Late' }
    await Promise.all(Array.from({ length: 10 }, () => refund(seller, order.uid, wish)))
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 200 })
  })

  test('a reason is needed', async () => {
    const { order } = await sell(shop, seller)
    expect(await refuse(seller, order.uid)).toEqual([400, 4000])
  })

  test('an operator, long after, and it is written down', async () => {
    const { order } = await sell(shop, seller)
    const operator = await signUpOperator(shop.server)
    const answer = await refund(operator, order.uid, { reason: 'Complaint' })
    expect(await readData<Order>(answer)).toMatchObject({ status: 'refunded' })
    const log = await operator.fetch('/api/v1/operator/audit')
    expect(await log.text()).toContain('refund_order')
  })

  test('the licence stays while another edition is paid, and a granted one always', async () => {
    const { buyer, game, order } = await sell(shop, seller)
    const grant = await seller.json('POST', `/api/v1/private/games/${game.uid}/licenses`, {
      username: await usernameOf(buyer),
    })
    expect(grant.status).toBe(200)
    await refund(seller, order.uid, { reason: 'A gift' })
    expect(await findLicense(shop.server, buyer, game.uid)).toMatchObject({ source: 'granted' })
  })
})

async function usernameOf(person: Person): Promise<string> {
  return (await readData<{ username: string }>(await person.fetch('/api/v1/private/me'))).username
}

describe('a Stripe that fails', () => {
  test('a lost answer is one refund', async () => {
    const { buyer, order } = await sell(shop, seller)
    shop.stripe.fail('POST refunds', 'lost', 1)
    expect(await readData<Order>(await refund(buyer, order.uid))).toMatchObject({ status: 'refunded' })
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 1000, feeBack: 100 })
  })

  test('an unreachable Stripe gets the refund later, once', async () => {
    const { buyer, order } = await sell(shop, seller)
    shop.stripe.fail('POST refunds', '500')
    expect(await readData<Order>(await refund(buyer, order.uid))).toMatchObject({ refund_pending: true })
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 0 })
    const page = await (await buyer.fetch(`/orders/${order.uid}`)).text()
    expect(page).toContain('A refund is on its way')
    expect(page).not.toContain('Refund this order')
    shop.stripe.heal()
    await makeDue(shop.server, makeRefund)
    await waitForStatus(shop.server, order.uid, 'refunded')
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 1000 })
    expect(await readOrder(buyer, order.uid)).toMatchObject({ refund_pending: false })
  })

  test('a refusal is told, and can be tried again', async () => {
    const { order } = await sell(shop, seller)
    const payment = await paymentOf(shop.server, order.uid)
    shop.stripe.hold(true)
    shop.stripe.openDispute(payment)
    expect(await refuse(seller, order.uid, { reason: 'Sorry' })).toEqual([502, 5021])
    shop.stripe.closeDispute(payment, 'won')
    shop.stripe.hold(false)
    expect((await refund(seller, order.uid, { reason: 'Sorry' })).status).toBe(200)
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 1000 })
  })

  test('one that the bank sends back weeks later: the order is paid again, all are told, and it can be made anew', async () => {
    const { buyer, game, order } = await sell(shop, seller)
    const operator = await signUpOperator(shop.server)
    expect((await refund(buyer, order.uid)).status).toBe(200)
    shop.stripe.failRefund(await paymentOf(shop.server, order.uid))
    await waitForStatus(shop.server, order.uid, 'paid')
    expect(await findLicense(shop.server, buyer, game.uid)).not.toBeNull()
    for (const { email } of [buyer, operator])
      await waitForMail(shop.server, email, `A refund came back: ${order.game.name}`)
    const made = await shop.server.deps.db.select().from(refunds).where(eq(refunds.orderUid, order.uid))
    expect(made).toMatchObject([
      { state: 'failed', fault: 'The bank did not take the money back: lost or stolen card.' },
    ])
    expect(await readData<Order>(await refund(buyer, order.uid))).toMatchObject({ status: 'refunded' })
    expect(await givenBackOf(shop, order.uid)).toMatchObject({ refunded: 1000 })
  })

  test('one that comes back while another one is made is noticed too', async () => {
    const { order } = await sell(shop, seller)
    const payment = await paymentOf(shop.server, order.uid)
    expect((await refund(seller, order.uid, { amount_cents: 400, reason: 'Late' })).status).toBe(200)
    shop.stripe.hold(true)
    shop.stripe.failRefund(payment)
    expect((await refund(seller, order.uid, { amount_cents: 600, reason: 'Broken' })).status).toBe(200)
    shop.stripe.hold(false)
    expect((await refund(seller, order.uid, { amount_cents: 400, reason: 'Late' })).status).toBe(200)
    await waitForStatus(shop.server, order.uid, 'refunded')
  })

  test('one that comes back is noticed too if an event of another one is faster than its answer', async () => {
    const { order } = await sell(shop, seller)
    const payment = await paymentOf(shop.server, order.uid)
    shop.stripe.hold(true)
    expect((await refund(seller, order.uid, { amount_cents: 400, reason: 'Late' })).status).toBe(200)
    shop.stripe.failRefund(payment)
    shop.stripe.fail('POST refunds', 'slow', 1)
    const second = refund(seller, order.uid, { amount_cents: 600, reason: 'Broken' })
    await waitFor('the second refund', async () => (await givenBackOf(shop, order.uid)).refunded === 600)
    await syncOrder(shop.server.deps, order.uid)
    expect((await second).status).toBe(200)
    shop.stripe.hold(false)
    const made = await shop.server.deps.db.select().from(refunds).where(eq(refunds.orderUid, order.uid))
    expect(made.map(({ amountCents, state }) => `${amountCents} ${state}`).toSorted()).toEqual([
      '400 failed',
      '600 done',
    ])
  })
})

test('what is paid by an account that was deleted meanwhile goes back by itself', async () => {
  const game = await insertForSale(shop, seller)
  const buyer = await signUpBuyer(shop)
  const { order_uid, url } = await checkOut(buyer, game.uid)
  const gone = await buyer.json('DELETE', '/api/v1/private/me', { password: buyer.password })
  expect(gone.status).toBe(200)
  shop.stripe.pay(url)
  await waitForStatus(shop.server, order_uid, 'refunded')
  await waitFor('the refund', async () => (await givenBackOf(shop, order_uid)).refunded === 999)
})
