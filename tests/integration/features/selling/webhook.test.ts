import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { toEvent } from '../../../../src/clients/stripe/events.ts'
import { orders, stripeEvents } from '../../../../src/db/schema/selling.ts'
import {
  reconcileOrders,
  settleOrders,
  settleSellerShare,
} from '../../../../src/features/selling/orders/jobs.ts'
import { pollOpenOrders } from '../../../../src/features/selling/orders/settle.ts'
import { storeEvents } from '../../../../src/features/selling/webhooks/service.ts'
import { listTaskStates } from '../../../../src/jobs/queue-view.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { pauseCron } from '../../../helpers/jobs.ts'
import { readFailure } from '../../../helpers/json.ts'
import { countMails, waitForMail } from '../../../helpers/mails.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import type { Person } from '../../../helpers/people.ts'
import {
  askToCheckOut,
  buy,
  checkOut,
  findLicense,
  findOrder,
  insertForSale,
  readOrder,
  sell,
  signUpBuyer,
  signUpSeller,
  useShop,
  waitForLocked,
  waitForShare,
  waitForStatus,
} from '../../../helpers/selling/selling.ts'
import { postEvent, signEvent } from '../../../helpers/stripe-double/deliver.ts'
import { DOUBLE_SECRET } from '../../../helpers/stripe-double/double.ts'
import type { StripeEvent } from '../../../helpers/stripe-double/state.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const OLD_SECRET = 'whsec_before'
/** Jobs that follow an event about an order. */
const SETTLING = new Set([settleOrders.name, settleSellerShare.name])

const shop = useShop({ STRIPE_WEBHOOK_SECRET: `${DOUBLE_SECRET},${OLD_SECRET}` })
let seller: Person
beforeAll(async () => {
  seller = await signUpSeller(shop)
  await pauseCron(shop.server, reconcileOrders)
})

const address = () => `${shop.server.url}/api/v1/stripe/webhook`

/** The newest event of this type about the order. */
function eventOf(type: string, orderUid: string): StripeEvent {
  const found = shop.stripe.books.events.findLast(
    (event) => event.type === type && JSON.stringify(event).includes(orderUid),
  )
  if (!found) throw new Error(`There is no ${type}`)
  return found
}

async function isTakenIn(id: string): Promise<boolean> {
  return (await shop.server.deps.db.$count(stripeEvents, eq(stripeEvents.id, id))) === 1
}

/** When the store last asked about an open order: once a minute it asks again. */
async function setChecked(orderUid: string, checkedAt: Date): Promise<void> {
  await shop.server.deps.db.update(orders).set({ checkedAt }).where(eq(orders.uid, orderUid))
}

/** An order that was paid while events were held. */
async function payInSilence() {
  const game = await insertForSale(shop, seller)
  const buyer = await signUpBuyer(shop)
  const { order_uid: orderUid, url } = await checkOut(buyer, game.uid)
  shop.stripe.hold(true)
  shop.stripe.pay(url)
  shop.stripe.hold(false)
  return { buyer, game, gameUid: game.uid, orderUid, event: eventOf('checkout.session.completed', orderUid) }
}

describe('the signature', () => {
  test('a forged, unsigned, changed or old event is refused', async () => {
    const { event, orderUid } = await payInSilence()
    const body = JSON.stringify(event)
    const now = Math.floor(Date.now() / 1000)
    const refused = [
      await postEvent(address(), body, ''),
      await postEvent(address(), body, 't=1,v1=00'),
      await postEvent(address(), body, signEvent(body, 'whsec_other')),
      await postEvent(address(), `${body} `, signEvent(body, DOUBLE_SECRET)),
      await postEvent(address(), body, signEvent(body, DOUBLE_SECRET, now - 301)),
    ]
    for (const answer of refused) {
      expect(answer.status).toBe(400)
      expect((await readFailure(answer)).code).toBe(4000)
    }
    expect(await isTakenIn(event.id)).toBe(false)
    expect((await findOrder(shop.server, orderUid)).status).toBe('open')
  })

  test('a signed event that is no event is refused: nested 100 deep, too many values, no JSON', async () => {
    const bodies = [
      `{"id":"evt_deep","type":"charge.refunded","data":${'['.repeat(100)}${']'.repeat(100)}}`,
      `{"id":"evt_wide","type":"charge.refunded","data":[${'1,'.repeat(30_000)}1]}`,
      'not JSON',
      '',
    ]
    for (const body of bodies) {
      const answer = await postEvent(address(), body, signEvent(body, DOUBLE_SECRET))
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
    }
  })

  test('the secret of before is believed while it is listed', async () => {
    const { event, orderUid } = await payInSilence()
    const body = JSON.stringify(event)
    expect((await postEvent(address(), body, signEvent(body, OLD_SECRET))).status).toBe(200)
    await waitForStatus(shop.server, orderUid, 'paid')
  })

  test('a body beyond the bound is refused', async () => {
    const body = JSON.stringify({ id: 'evt_x', type: 'x', data: 'x'.repeat(600 * 1024) })
    expect((await postEvent(address(), body, signEvent(body, DOUBLE_SECRET))).status).toBe(413)
  })

  test('what does not concern the store is taken and forgotten', async () => {
    const body = JSON.stringify({ id: 'evt_other', type: 'invoice.paid', data: { object: {} } })
    expect((await postEvent(address(), body, signEvent(body, DOUBLE_SECRET))).status).toBe(200)
    expect(await isTakenIn('evt_other')).toBe(false)
  })
})

describe('events', () => {
  test('that come 50 at once leave connections to the database for everybody else', async () => {
    const buyer = await signUpBuyer(shop)
    const { sent } = await shop.server.deps.db.transaction(async (tx) => {
      await tx.execute('lock table stripe_events in exclusive mode')
      const flood = Array.from({ length: 50 }, (_, number) => {
        const object = { id: `cs_${number}`, metadata: { order_uid: createUid() } }
        const body = JSON.stringify({
          id: `evt_${number}`,
          type: 'checkout.session.expired',
          data: { object },
        })
        return postEvent(address(), body, signEvent(body, DOUBLE_SECRET))
      })
      await waitForLocked(tx)
      expect((await buyer.fetch('/api/v1/private/orders')).status).toBe(200)
      return { sent: flood }
    })
    expect((await Promise.all(sent)).every(({ status }) => status === 200)).toBe(true)
    expect(await isTakenIn('evt_49')).toBe(true)
  })

  test('one that comes 50 times at once gives one licence and one mail', async () => {
    const { event, orderUid, buyer, game, gameUid } = await payInSilence()
    const body = JSON.stringify(event)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => postEvent(address(), body, signEvent(body, DOUBLE_SECRET))),
    )
    expect(answers.every(({ ok }) => ok)).toBe(true)
    await waitForStatus(shop.server, orderUid, 'paid')
    const mail = await waitForMail(shop.server, buyer.email, `Your order: ${game.name}`)
    expect(mail.text).toContain('receipts/')
    expect(await findLicense(shop.server, buyer, gameUid)).not.toBeNull()
    await shop.stripe.send(event)
    expect(await countMails(shop.server, buyer.email, `Your order: ${game.name}`)).toBe(1)
  })

  test('one that Stripe cannot be asked about does not delay the others of its batch', async () => {
    const [stuck, other] = [await payInSilence(), await payInSilence()]
    const batch = [stuck, other].map(({ event }) => toEvent(event)).filter((event) => event !== null)
    const { sessionId } = await findOrder(shop.server, stuck.orderUid)
    shop.stripe.fail(`GET checkout/sessions/${sessionId}`, '500')
    await storeEvents(shop.server.deps.db, batch)
    await waitForStatus(shop.server, other.orderUid, 'paid')
    expect((await findOrder(shop.server, stuck.orderUid)).status).toBe('open')
    shop.stripe.heal()
    await waitForStatus(shop.server, stuck.orderUid, 'paid')
  })

  test('the order of events does not matter: a refund that comes before the payment', async () => {
    const { orderUid, buyer, gameUid, event } = await payInSilence()
    shop.stripe.hold(true)
    const intent = [...shop.stripe.books.intents.values()].find(
      ({ metadata }) => metadata.order_uid === orderUid,
    )
    shop.stripe.refund(intent?.id ?? '')
    shop.stripe.hold(false)
    await shop.stripe.send(eventOf('charge.refunded', orderUid))
    await waitForStatus(shop.server, orderUid, 'refunded')
    await shop.stripe.send(event)
    await waitFor('the event', () => isTakenIn(event.id))
    expect((await readOrder(buyer, orderUid)).status).toBe('refunded')
    expect(await findLicense(shop.server, buyer, gameUid)).toBeNull()
  })

  test('a session that ends unpaid ends the order', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const { order_uid, url } = await checkOut(buyer, game.uid)
    const session = shop.stripe.books.sessions.get(url.split('/').at(-1) ?? '')
    if (session) session.expires_at = 1
    await setChecked(order_uid, new Date(0))
    await pollOpenOrders(shop.server.deps, new AbortController().signal)
    await waitForStatus(shop.server, order_uid, 'expired')
  })

  test('the job asks about open orders whose events never come', async () => {
    const { orderUid, buyer, gameUid } = await payInSilence()
    await setChecked(orderUid, new Date(0))
    await pollOpenOrders(shop.server.deps, new AbortController().signal)
    await waitForStatus(shop.server, orderUid, 'paid', PROMPT_MS)
    expect(await findLicense(shop.server, buyer, gameUid)).not.toBeNull()
  })
})

describe('disputes', () => {
  test('opened: the licence is suspended; won: it is back; lost: it ends; developer and operators are told', async () => {
    const operator = await signUpOperator(shop.server)
    const { game, buyer, uid, payment } = await sell(shop, seller)
    shop.stripe.openDispute(payment)
    await waitForStatus(shop.server, uid, 'disputed')
    expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
    await waitForMail(shop.server, seller.email, `A payment is disputed: ${game.name}`)
    await waitForMail(shop.server, operator.email, `A payment is disputed: ${game.name}`)
    shop.stripe.closeDispute(payment, 'won')
    await waitForStatus(shop.server, uid, 'paid')
    expect(await findLicense(shop.server, buyer, game.uid)).toMatchObject({ orderUid: uid })
    shop.stripe.closeDispute(payment, 'lost')
    await waitForStatus(shop.server, uid, 'disputed')
    expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
    await waitForMail(shop.server, seller.email, `A payment is lost: ${game.name}`)
    const again = await buy(shop, buyer, game.uid)
    expect(again.status).toBe('paid')
  })

  async function readSheet(game: { vanityName: string }): Promise<string[]> {
    const csv = await (await seller.fetch(`/studio/${game.vanityName}/sales.csv`)).text()
    const [head = '', line = ''] = csv.split('\r\n')
    const names = head.split(',')
    const cells = line.split(',')
    return ['refunded_cents', 'disputed_cents', 'fee_cents', 'net_cents'].map(
      (name) => cells[names.indexOf(name)] ?? '',
    )
  }

  test('opened: the developer gives the money back; won: it is paid again; lost: it is gone; sales show it', async () => {
    const { uid, game, payment, charge } = await sell(shop, seller)
    await waitForShare(shop, charge, 900)
    shop.stripe.openDispute(payment)
    await waitForShare(shop, charge, 0)
    expect(await readSheet(game)).toEqual(['0', '1000', '0', '0'])
    expect(await (await seller.fetch(`/studio/${game.vanityName}/sales`)).text()).toContain('Dispute open')
    shop.stripe.closeDispute(payment, 'won')
    await waitForShare(shop, charge, 900)
    await waitForStatus(shop.server, uid, 'paid')
    expect(await readSheet(game)).toEqual(['0', '0', '100', '900'])
    shop.stripe.closeDispute(payment, 'lost')
    await waitForShare(shop, charge, 0)
    expect(await readSheet(game)).toEqual(['0', '1000', '0', '0'])
  })

  test('events that come twice, late and in any order, and lost answers, move the money once', async () => {
    const { payment, charge } = await sell(shop, seller)
    const { events, transfers } = shop.stripe.books
    shop.stripe.fail('POST transfers', 'lost', 1)
    const first = events.length
    shop.stripe.openDispute(payment)
    await waitForShare(shop, charge, 0)
    shop.stripe.fail('POST transfers', 'lost', 1)
    shop.stripe.closeDispute(payment, 'won')
    await waitForShare(shop, charge, 900)
    for (const event of events.slice(first).toReversed()) {
      await shop.stripe.send({ ...event, id: `${event.id}_again` })
      await shop.stripe.send(event)
    }
    await waitFor('an end of the jobs', async () => {
      const states = await listTaskStates(shop.server.deps.db)
      return !states.some(({ task, waiting, running }) => SETTLING.has(task) && waiting + running > 0)
    })
    await waitForShare(shop, charge, 900)
    const { metadata } = shop.stripe.books.intents.get(payment) ?? {}
    const made = [...transfers.values()].filter(
      (transfer) => transfer.metadata.order_uid === metadata?.order_uid,
    )
    expect(made.map(({ amount, amount_reversed }) => [amount, amount_reversed])).toEqual([[900, 0]])
  })

  test('refunded in part before, in whole after it was won: each has what is theirs, to the cent', async () => {
    const { uid, buyer, game, payment, charge } = await sell(shop, seller)
    const part = { amount_cents: 333, reason: 'A bug' }
    expect((await seller.json('POST', `/api/v1/private/orders/${uid}/refund`, part)).status).toBe(200)
    await waitForShare(shop, charge, 600)
    shop.stripe.openDispute(payment)
    await waitForShare(shop, charge, 0)
    shop.stripe.closeDispute(payment, 'won')
    await waitForShare(shop, charge, 600)
    await waitForStatus(shop.server, uid, 'paid')
    expect((await buyer.json('POST', `/api/v1/private/orders/${uid}/refund`, {})).status).toBe(200)
    await waitForShare(shop, charge, 0)
    expect(await readSheet(game)).toEqual(['1000', '0', '0', '0'])
  })

  test('while the bank decides nobody can pay a second time', async () => {
    const { game, buyer, uid, payment } = await sell(shop, seller)
    shop.stripe.openDispute(payment)
    await waitForStatus(shop.server, uid, 'disputed')
    const answer = await askToCheckOut(buyer, game.uid)
    expect((await readFailure(answer)).code).toBe(4117)
    const refund = await buyer.json('POST', `/api/v1/private/orders/${uid}/refund`, {})
    expect((await readFailure(refund)).code).toBe(4118)
  })
})
