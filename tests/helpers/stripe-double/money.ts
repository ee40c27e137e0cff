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
  type Transfer,
} from './state.ts'

type Emit = (type: string, object: object) => void

const COUNTRIES = ['US', 'DE', 'FR', 'JP'] as const

/** What the buyer's browser does on the hosted page. */
export function paySession(books: Books, emit: Emit, id: string, origin: string): Session {
  const session = requireSession(books, id)
  const plan = books.plans.get(id)
  expireIfLate(session, emit)
  if (session.status !== 'open' || !plan) throw new Refusal(400, 'invalid_request_error', 'Not open')
  const [intentId, chargeId] = [createId('pi'), createId('ch')]
  const feeId = plan.fee === null ? null : createId('fee')
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
  if (feeId !== null && fee !== null)
    books.fees.set(feeId, {
      id: feeId,
      object: 'application_fee',
      amount: fee,
      amount_refunded: 0,
      charge: chargeId,
      account: destination,
    })
  const group = `group_${intentId}`
  const transfer = addTransfer(books, {
    amount,
    currency,
    destination,
    source_transaction: chargeId,
    transfer_group: group,
    metadata: {},
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
    transfer: transfer.id,
    transfer_group: group,
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
  const fee = books.fees.get(charge.application_fee ?? '')
  const givesFeeBack = textOf(form.refund_application_fee) === 'true'
  if (givesFeeBack && !fee) {
    const message = 'The charge has no application fee, so `refund_application_fee` cannot be used.'
    throw new Refusal(400, 'invalid_request_error', message, undefined, 'refund_application_fee')
  }
  if (textOf(form.reverse_transfer) === 'true') takeBack(requireTransfer(books, charge.transfer), amount)
  charge.amount_refunded += amount
  charge.refunded = charge.amount_refunded === charge.amount
  if (fee && givesFeeBack)
    fee.amount_refunded = Math.round((fee.amount * charge.amount_refunded) / charge.amount)
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

export function requireTransfer(books: Books, id: string): Transfer {
  const transfer = books.transfers.get(id)
  if (!transfer) throw missing('transfer', id)
  return transfer
}

function addTransfer(
  books: Books,
  made: Omit<Transfer, 'id' | 'object' | 'created' | 'amount_reversed' | 'reversed'>,
): Transfer {
  const transfer: Transfer = {
    id: createId('tr'),
    object: 'transfer',
    created: nowSeconds(),
    amount_reversed: 0,
    reversed: false,
    ...made,
  }
  books.transfers.set(transfer.id, transfer)
  return transfer
}

/** From the balance of the store to the account of a developer. */
export function createTransfer(books: Books, form: FormObject): Transfer {
  const amount = Number(textOf(form.amount))
  const destination = textOf(form.destination) ?? ''
  if (!Number.isInteger(amount) || amount < 1)
    throw new Refusal(400, 'invalid_request_error', 'Invalid positive integer', 'parameter_invalid_integer')
  if (!books.accounts.has(destination)) throw missing('destination', destination)
  return addTransfer(books, {
    amount,
    currency: textOf(form.currency) ?? '',
    destination,
    source_transaction: null,
    transfer_group: textOf(form.transfer_group),
    metadata: textsOf(form, 'metadata'),
  })
}

export function reverseTransfer(books: Books, id: string, form: FormObject): object {
  const transfer = requireTransfer(books, id)
  const left = transfer.amount - transfer.amount_reversed
  const amount = form.amount === undefined ? left : Number(textOf(form.amount))
  takeBack(transfer, amount)
  return {
    id: createId('trr'),
    object: 'transfer_reversal',
    amount,
    created: nowSeconds(),
    currency: transfer.currency,
    transfer: id,
    metadata: textsOf(form, 'metadata'),
  }
}

function takeBack(transfer: Transfer, amount: number): void {
  const left = transfer.amount - transfer.amount_reversed
  if (!Number.isInteger(amount) || amount < 1 || amount > left) {
    const message = `Reversal amount ($${amount / 100}) is greater than unreversed amount on transfer ($${left / 100})`
    throw new Refusal(400, 'invalid_request_error', message, undefined, 'amount')
  }
  transfer.amount_reversed += amount
  transfer.reversed = transfer.amount_reversed === transfer.amount
}

/** What the developer has of a charge by now, after fee, reversals and later transfers. */
export function sellerShareOf(books: Books, { transfer, application_fee, metadata }: Charge): number {
  const fee = books.fees.get(application_fee ?? '')
  const later = [...books.transfers.values()].filter(
    (one) => one.source_transaction === null && one.metadata.order_uid === metadata.order_uid,
  )
  const kept = [requireTransfer(books, transfer), ...later].reduce(
    (sum, { amount, amount_reversed }) => sum + amount - amount_reversed,
    0,
  )
  return kept - (fee ? fee.amount - fee.amount_refunded : 0)
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
    reason: 'fraudulent',
    status: 'needs_response',
  }
  books.disputes.set(dispute.id, dispute)
  emit('charge.dispute.created', dispute)
  emit('charge.dispute.funds_withdrawn', dispute)
  return dispute
}

export function closeDispute(books: Books, emit: Emit, intentId: string, status: 'won' | 'lost'): void {
  for (const dispute of disputesOf(books, intentId)) {
    dispute.status = status
    emit('charge.dispute.closed', dispute)
    if (status === 'won') emit('charge.dispute.funds_reinstated', dispute)
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
