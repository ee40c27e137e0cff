import { constants, setPriority } from 'node:os'

import { postEvent, signEvent } from '../helpers/stripe-double/deliver.ts'
import { DOUBLE_KEY, DOUBLE_SECRET, startStripeDouble } from '../helpers/stripe-double/double.ts'
import { nowSeconds } from '../helpers/stripe-double/state.ts'
import type { SentEvents, SoldOrder, WebhookTask } from './webhooks.ts'

type StripeEvents = (typeof stripe)['books']['events']

/**
 * A double of Stripe in a process of its own: says `ready`, sends the events of the next part on `go`, and tells how they
 * were taken. Stripe has its own machines, so this takes only CPU time that the store and its visitors leave.
 */
setPriority(constants.priority.PRIORITY_LOW)
const lines = console[Symbol.asyncIterator]()
const { port, parts, ordersPerSecond, storeUrl }: WebhookTask = JSON.parse((await lines.next()).value ?? '')
const stripe = await startStripeDouble({ port })
stripe.hold(true)
const prepared: { events: StripeEvents; seconds: number }[] = []
for (const orders of parts)
  prepared.push({ events: await prepare(orders), seconds: orders.length / ordersPerSecond })
console.log('ready')
for (const { events, seconds } of prepared) {
  await lines.next()
  console.log(JSON.stringify(await sendAll(events, seconds)))
}
// The store goes on asking about what it was told, until the end of the input.
await lines.next()
await stripe.stop()

async function prepare(orders: readonly SoldOrder[]): Promise<StripeEvents> {
  const { events, intents } = stripe.books
  const [eventsBefore, paymentsBefore] = [events.length, intents.size]
  for (const order of orders) sell(order)
  for (const payment of [...intents.keys()].slice(paymentsBefore)) await giveBack(payment)
  return events.slice(eventsBefore)
}

/** Three events. */
function sell({ orderUid, sessionId, amount, fee, accountId }: SoldOrder): void {
  const metadata = { order_uid: orderUid }
  stripe.books.plans.set(sessionId, { fee, destination: accountId, description: '', suffix: null, metadata })
  stripe.books.sessions.set(sessionId, {
    id: sessionId,
    object: 'checkout.session',
    livemode: false,
    mode: 'payment',
    status: 'open',
    payment_status: 'unpaid',
    url: null,
    success_url: storeUrl,
    cancel_url: storeUrl,
    created: nowSeconds(),
    expires_at: nowSeconds() + 3600,
    amount_total: amount,
    currency: 'usd',
    client_reference_id: orderUid,
    metadata,
    customer_details: null,
    payment_intent: null,
  })
  stripe.pay(sessionId)
}

/** One cent, and two events. */
async function giveBack(payment: string): Promise<void> {
  const answer = await fetch(`${stripe.origin}/v1/refunds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DOUBLE_KEY}` },
    body: new URLSearchParams({ payment_intent: payment, amount: '1' }),
  })
  if (!answer.ok) throw new Error(`The refund answered ${answer.status}`)
  await answer.arrayBuffer()
}

/** At a steady rate, whatever the store does meanwhile, in any order. */
async function sendAll(events: StripeEvents, seconds: number): Promise<SentEvents> {
  const shuffled = events.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const sent: SentEvents = { times: [], failures: {} }
  const started = performance.now()
  const pause = (seconds * 1000) / shuffled.length
  const waiting: Promise<void>[] = []
  for (const [index, event] of shuffled.entries()) {
    const early = started + index * pause - performance.now()
    if (early > 0) await Bun.sleep(early)
    const body = JSON.stringify(event)
    waiting.push(send(body, sent))
  }
  await Promise.all(waiting)
  return sent
}

async function send(body: string, sent: SentEvents): Promise<void> {
  const started = performance.now()
  const url = `${storeUrl}/api/v1/stripe/webhook`
  const reason = await postEvent(url, body, signEvent(body, DOUBLE_SECRET)).then(
    async (answer) => (answer.ok ? null : `${answer.status} ${await answer.text()}`),
    (error: unknown) => String(error),
  )
  if (reason === null) sent.times.push(performance.now() - started)
  else sent.failures[reason] = (sent.failures[reason] ?? 0) + 1
}
