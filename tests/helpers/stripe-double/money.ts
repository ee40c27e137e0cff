import { type FormObject, partOf, textOf } from './form.ts'
import {
  type Books,
  type Charge,
  createId,
  type Dispute,
  missing,
  nowSeconds,
  type Refund,
  Refusal,
  type Session,
} from './state.ts'

type Emit = (type: string, object: object) => void

const COUNTRIES = ['US', 'DE', 'FR', 'JP'] as const

/** What the buyer's browser does on the hosted page. */
export function paySession(books: Books, emit: Emit, id: string, origin: string): Session {
  const session = requireSession(books, id)
  const plan = books.plans.get(id)
  expireIfLate(session, emit)
  if (session.status !== 'open' || !plan) throw new Refusal(400, 'invalid_request_error', 'Not open')
  const [intentId, chargeId, feeId] = [createId('pi'), createId('ch'), createId('fee')]
  const { amount_total: amount, currency } = session
  const country = COUNTRIES[amount % COUNTRIES.length] ?? 'US'
  const { metadata, destination, fee } = plan
  books.intents.set(intentId, {
    id: intentId,
    object: 'payment_intent',
    amount,
    currency,
    status: 'succeeded',
    latest_charge: chargeId,
    transfer_data: { destination },
    application_fee_amount: fee,
    statement_descriptor_suffix: plan.suffix,
    metadata,
  })
  books.fees.set(feeId, {
    id: feeId,
    object: 'application_fee',
    amount: fee,
    amount_refunded: 0,
    charge: chargeId,
    account: destination,
  })
  const charge: Charge = {
    id: chargeId,
    object: 'charge',
    created: nowSeconds(),
    amount,
    amount_refunded: 0,
    currency,
    paid: true,
    refunded: false,
    disputed: false,
    payment_intent: intentId,
    application_fee: feeId,
    receipt_url: `${origin}/receipts/${chargeId}`,
    payment_method_details: { type: 'card', card: { country } },
    metadata,
  }
  books.charges.set(chargeId, charge)
  session.status = 'complete'
  session.payment_status = 'paid'
  session.url = null
  session.payment_intent = intentId
  session.customer_details = { email: session.customer_details?.email ?? null, address: { country } }
  emit('payment_intent.succeeded', books.intents.get(intentId) ?? {})
  emit('charge.succeeded', charge)
  emit('checkout.session.completed', session)
  return session
}

export function expireSession(books: Books, emit: Emit, id: string): Session {
  const session = requireSession(books, id)
  expireIfLate(session, emit)
  if (session.status !== 'open') {
    const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`
    throw new Refusal(400, 'invalid_request_error', message)
  }
  endSession(session, emit)
  return session
}

export function expireIfLate(session: Session, emit: Emit): void {
  if (session.status === 'open' && session.expires_at <= nowSeconds()) endSession(session, emit)
}

function endSession(session: Session, emit: Emit): void {
  session.status = 'expired'
  session.url = null
  emit('checkout.session.expired', session)
}

export function createRefund(books: Books, emit: Emit, form: FormObject): Refund {
  const intentId = textOf(form.payment_intent) ?? ''
  const intent = books.intents.get(intentId)
  const charge = intent && books.charges.get(intent.latest_charge)
  if (!charge) throw missing('payment_intent', intentId)
  if (charge.disputed && disputesOf(books, intentId).some(({ status }) => status !== 'won'))
    throw new Refusal(400, 'invalid_request_error', 'This charge is disputed.', 'charge_disputed')
  const left = charge.amount - charge.amount_refunded
  if (left === 0) {
    const message = `Charge ${charge.id} has already been refunded.`
    throw new Refusal(400, 'invalid_request_error', message, 'charge_already_refunded')
  }
  const amount = form.amount === undefined ? left : Number(textOf(form.amount))
  if (!Number.isInteger(amount) || amount < 1 || amount > left) {
    const message = `Refund amount ($${amount / 100}) is greater than unrefunded amount on charge ($${left / 100})`
    throw new Refusal(400, 'invalid_request_error', message, undefined, 'amount')
  }
  charge.amount_refunded += amount
  charge.refunded = charge.amount_refunded === charge.amount
  const fee = books.fees.get(charge.application_fee)
  if (fee && textOf(form.refund_application_fee) === 'true')
    fee.amount_refunded = Math.round((fee.amount * charge.amount_refunded) / charge.amount)
  if (textOf(form.reverse_transfer) === 'true')
    books.reversed.set(charge.id, (books.reversed.get(charge.id) ?? 0) + amount)
  const refund: Refund = {
    id: createId('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    payment_intent: intentId,
    status: 'succeeded',
    metadata: textsOf(form, 'metadata'),
  }
  books.refunds.set(refund.id, refund)
  emit('refund.created', refund)
  emit('charge.refunded', charge)
  return refund
}

/** The bank sends the last refund of the payment back; the fee and the transfer stay as they are. */
export function failRefund(books: Books, emit: Emit, intentId: string): void {
  const refund = [...books.refunds.values()].findLast(
    ({ payment_intent, status }) => payment_intent === intentId && status === 'succeeded',
  )
  const charge = books.charges.get(refund?.charge ?? '')
  if (!refund || !charge) throw missing('payment_intent', intentId)
  refund.status = 'failed'
  refund.failure_reason = 'lost_or_stolen_card'
  charge.amount_refunded -= refund.amount
  charge.refunded = false
  emit('refund.failed', refund)
}

/** The buyer asks the bank for the money back. */
export function openDispute(books: Books, emit: Emit, intentId: string): Dispute {
  const charge = books.charges.get(books.intents.get(intentId)?.latest_charge ?? '')
  if (!charge) throw missing('payment_intent', intentId)
  charge.disputed = true
  const dispute: Dispute = {
    id: createId('du'),
    object: 'dispute',
    amount: charge.amount - charge.amount_refunded,
    charge: charge.id,
    payment_intent: intentId,
    status: 'needs_response',
  }
  books.disputes.set(dispute.id, dispute)
  emit('charge.dispute.created', dispute)
  return dispute
}

export function closeDispute(books: Books, emit: Emit, intentId: string, status: 'won' | 'lost'): void {
  for (const dispute of disputesOf(books, intentId)) {
    dispute.status = status
    emit('charge.dispute.closed', dispute)
  }
}

export function disputesOf(books: Books, intentId: string): Dispute[] {
  return [...books.disputes.values()].filter(({ payment_intent }) => payment_intent === intentId)
}

export function requireSession(books: Books, id: string): Session {
  const session = books.sessions.get(id)
  if (!session) throw missing('checkout.session', id)
  return session
}

export function textsOf(form: FormObject, ...path: string[]): Record<string, string> {
  const part = partOf(form, ...path)
  if (typeof part !== 'object' || Array.isArray(part)) return {}
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, textOf(value) ?? '']))
}
