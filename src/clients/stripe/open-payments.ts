import type { Stripe } from 'stripe'

import type { DisputeState } from '../../domain/listings/orders.ts'
import { type PaymentSettings } from '../../domain/service-settings.ts'
import { once } from '../../lib/flow/memoize.ts'
import { isUid } from '../../lib/ids.ts'
import { LISTED_TYPES, parseEvent, toEvent } from './events.ts'
import {
  type AccountState,
  type Payments,
  PaymentsFailure,
  type PaymentState,
  type Purchase,
  type SellerShare,
} from './payments.ts'

/** Pinned, because newer versions change the shape of Stripe's answers. */
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 6000
const RETRIES = 2
const LISTED_MAX = 100
const STRIPE_PAGES = ['https://checkout.stripe.com', 'https://connect.stripe.com']
/** What Stripe puts into the answer instead of its id. */
const PAYMENT_EXPANDED = ['payment_intent.latest_charge.application_fee'] as const
const TRANSFER_EXPANDED = ['latest_charge.transfer', 'latest_charge.application_fee']
/** The bank puts the store's own name of up to ten characters and two more before it, of 22 in all. */
const SUFFIX_MAX = 10
/**
 * Stripe repeats its answer to an idempotency key for a day, even a refusal. So keys change after this time.
 */
const SAME_MS = 60 * 60_000

/** The client is loaded by the first call, so that stores that sell nothing never load it. */
export function openPayments(settings: PaymentSettings): Payments {
  const client = once(() => createClient(settings))

  async function ask<Answer>(work: (stripe: Stripe) => Promise<Answer>): Promise<Answer> {
    const stripe = await client()
    try {
      return await work(stripe)
    } catch (error) {
      throw toFailure(error)
    }
  }

  const readPayment = (sessionId: string) =>
    ask(async (stripe) => {
      const session = await stripe.checkout.sessions.retrieve(sessionId, { expand: [...PAYMENT_EXPANDED] })
      return await toPaymentState(session, (paymentId) => listDisputes(stripe, paymentId))
    })

  return {
    mode: /^[sr]k_live_/.test(settings.secretKey) ? 'live' : 'test',
    pageOrigins: settings.apiUrl === null ? STRIPE_PAGES : [settings.apiUrl],
    createAccount: ({ userUid, email }, replaces) =>
      ask(async ({ accounts }) => {
        const params: Stripe.AccountCreateParams = {
          type: 'express',
          email,
          metadata: { user_uid: userUid },
          capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
        }
        const key = replaces === null ? `account ${userUid}` : `account ${userUid} after ${replaces}`
        return (await accounts.create(params, { idempotencyKey: key })).id
      }),
    async readAccount(accountId) {
      try {
        return await ask(async ({ accounts }) => toAccountState(await accounts.retrieve(accountId)))
      } catch (error) {
        if (!(error instanceof PaymentsFailure)) throw error
        const { status = 0, code = '' } = error.answer
        if (GONE_CODES.has(code)) return null
        if (!FORBIDDEN.has(status)) throw error
        // With a wrong or restricted key everything is forbidden, which says nothing about the account.
        await ask(({ balance }) => balance.retrieve())
        return null
      }
    },
    onboardingUrl: (account, { returnUrl, refreshUrl }) =>
      ask(async ({ accountLinks }) => {
        const pages = { return_url: returnUrl, refresh_url: refreshUrl }
        return (await accountLinks.create({ account, type: 'account_onboarding', ...pages })).url
      }),
    dashboardUrl: (accountId) => ask(async ({ accounts }) => (await accounts.createLoginLink(accountId)).url),
    openSession: (purchase) =>
      ask(async ({ checkout }) => {
        const params = toSessionParams(purchase, settings.tax)
        const key = { idempotencyKey: `order ${purchase.orderUid}` }
        const { id, url } = await checkout.sessions.create(params, key)
        if (!url) throw new PaymentsFailure('unknown', 'Stripe answered a session without an address')
        return { sessionId: id, url }
      }),
    readPayment,
    async expireSession(sessionId) {
      try {
        await ask(({ checkout }) => checkout.sessions.expire(sessionId))
      } catch (error) {
        // Stripe refuses this for a session that is paid or expired already; its state says which.
        if (!(error instanceof PaymentsFailure && error.kind === 'refused')) throw error
      }
      return await readPayment(sessionId)
    },
    findOrderOf: (paymentId) =>
      ask(async ({ paymentIntents }) => {
        const { order_uid: orderUid } = (await paymentIntents.retrieve(paymentId)).metadata
        return orderUid !== undefined && isUid(orderUid) ? orderUid : null
      }),
    refund: ({ refundUid, orderUid, paymentId, amountCents, hasFee, keepsTransfer }) =>
      ask(async ({ refunds }) => {
        // Stripe forgets idempotency keys after a day, but lists a refund for ever.
        const { data } = await refunds.list({ payment_intent: paymentId, limit: LISTED_MAX })
        const known = data.find(({ metadata }) => metadata?.['refund_uid'] === refundUid)
        const params: Stripe.RefundCreateParams = {
          payment_intent: paymentId,
          amount: amountCents,
          reason: 'requested_by_customer',
          ...(!keepsTransfer && { reverse_transfer: true }),
          ...(!keepsTransfer && hasFee && { refund_application_fee: true }),
          metadata: { refund_uid: refundUid, order_uid: orderUid },
        }
        const key = { idempotencyKey: `refund ${refundUid}${keepsTransfer ? ' alone' : ''}` }
        const made = known ?? (await refunds.create(params, key))
        if (hasFailed(made)) throw new PaymentsFailure('refused', faultOf(made))
      }),
    setSellerShare: (share) => ask((stripe) => setSellerShare(stripe, share)),
    listFailedRefunds: (paymentId) =>
      ask(async ({ refunds }) => {
        const { data } = await refunds.list({ payment_intent: paymentId, limit: LISTED_MAX })
        return data.filter(hasFailed).flatMap((refund) => {
          const refundUid = refund.metadata?.['refund_uid'] ?? ''
          return isUid(refundUid) ? [{ refundUid, fault: faultOf(refund) }] : []
        })
      }),
    readEvent: async (body, signature) =>
      parseEvent((await client()).webhooks, settings.webhookSecrets, body, signature),
    listEvents: ({ newerThan, olderThan, until }) =>
      ask(async ({ events }) => {
        const { data, has_more } = await events.list({
          types: [...LISTED_TYPES],
          created: { lte: Math.floor(until.getTime() / 1000) },
          limit: LISTED_MAX,
          ...(newerThan !== undefined && { ending_before: newerThan }),
          ...(olderThan !== undefined && { starting_after: olderThan }),
        })
        return { events: data.flatMap((event) => toEvent(event) ?? []), hasMore: has_more }
      }),
    listWebhookUrls: () =>
      ask(async ({ webhookEndpoints }) =>
        (await webhookEndpoints.list({ limit: LISTED_MAX })).data.flatMap(({ url, status }) =>
          status === 'enabled' ? [url] : [],
        ),
      ),
    check: () => ask(async ({ balance }) => void (await balance.retrieve())),
  }
}

async function createClient({ secretKey, apiUrl }: PaymentSettings): Promise<Stripe> {
  const { Stripe } = await import('stripe')
  const url = apiUrl === null ? null : new URL(apiUrl)
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(),
    ...(url && {
      protocol: url.protocol === 'http:' ? 'http' : 'https',
      host: url.hostname,
      port: url.port || (url.protocol === 'http:' ? 80 : 443),
    }),
  })
}

async function listDisputes({ disputes }: Stripe, paymentId: string): Promise<Stripe.Dispute[]> {
  return (await disputes.list({ payment_intent: paymentId, limit: LISTED_MAX })).data
}

function toAccountState(account: Stripe.Account): AccountState {
  const { currently_due, past_due } = account.requirements ?? {}
  return {
    chargesEnabled: account.charges_enabled,
    payoutsEnabled: account.payouts_enabled,
    submitted: account.details_submitted,
    missing: [...new Set([...(past_due ?? []), ...(currently_due ?? [])])],
  }
}

const GONE_CODES = new Set(['account_invalid', 'resource_missing'])
const FORBIDDEN = new Set([401, 403])
/** 409 and 429 are not decisions: the same request may go through later. */
const UNDECIDED = new Set([409, 429])

/** Includes Stripe's message, which contains no secrets, but never the request. */
function toFailure(error: unknown): PaymentsFailure {
  if (error instanceof PaymentsFailure) return error
  const { statusCode, code, type, message } = error as Partial<Stripe.errors.StripeError>
  const isDecided =
    statusCode !== undefined && statusCode >= 400 && statusCode < 500 && !UNDECIDED.has(statusCode)
  const words = [statusCode, type, code, message].filter((word) => word !== undefined).join(' ')
  const answer = { status: statusCode, code }
  return new PaymentsFailure(isDecided ? 'refused' : 'unknown', `Stripe: ${words || String(error)}`, answer)
}

function hasFailed({ status }: Stripe.Refund): boolean {
  return status === 'failed' || status === 'canceled'
}

function faultOf({ failure_reason: reason }: Stripe.Refund): string {
  return `The bank did not take the money back${reason === undefined ? '.' : `: ${reason.replaceAll('_', ' ')}.`}`
}

/** `listDisputes` is only called for a charge that has some. */
async function toPaymentState(
  session: Stripe.Checkout.Session,
  listDisputes: (paymentId: string) => Promise<Stripe.Dispute[]>,
): Promise<PaymentState> {
  const state = { sessionId: session.id, session: parseStatus(session.status), payment: null }
  const intent = expanded(session.payment_intent)
  const charge = intent && expanded(intent.latest_charge)
  if (session.payment_status !== 'paid' || !intent || !charge?.paid) return state
  const disputes = charge.disputed ? await listDisputes(intent.id) : []
  const card = charge.payment_method_details?.card?.country ?? null
  return {
    ...state,
    payment: {
      id: intent.id,
      paidAt: new Date(charge.created * 1000),
      receiptUrl: charge.receipt_url,
      country: session.customer_details?.address?.country ?? card,
      refundedCents: charge.amount_refunded,
      feeRefundedCents: expanded(charge.application_fee)?.amount_refunded ?? 0,
      dispute: parseDispute(disputes.map(({ status }) => status)),
      disputedCents: disputes.reduce((sum, { status, amount }) => sum + (WON.has(status) ? 0 : amount), 0),
    },
  }
}

function parseStatus(status: Stripe.Checkout.Session['status']): PaymentState['session'] {
  if (status === 'complete') return 'complete'
  return status === 'expired' ? 'expired' : 'open'
}

const WON = new Set<Stripe.Dispute.Status>(['won', 'warning_closed', 'prevented'])

/** The worst state of several disputes. */
function parseDispute(statuses: readonly Stripe.Dispute.Status[]): DisputeState | null {
  if (statuses.length === 0) return null
  if (statuses.includes('lost')) return 'lost'
  return statuses.every((status) => WON.has(status)) ? 'won' : 'open'
}

function expanded<Thing extends object>(value: string | Thing | null | undefined): Thing | null {
  return typeof value === 'object' ? value : null
}

/** A destination charge: the developer receives the amount, and the store gets its fee back out of it. */
export function toSessionParams(purchase: Purchase, tax: boolean): Stripe.Checkout.SessionCreateParams {
  const { orderUid, name, amountCents, feeCents, currency, accountId, email, returnUrl } = purchase
  const suffix = toStatement(purchase.storeName)
  return {
    mode: 'payment',
    // Other methods settle days later; a card payment succeeds or fails at once.
    allowed_payment_method_types: ['card'],
    adaptive_pricing: { enabled: false },
    client_reference_id: orderUid,
    customer_email: email,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: amountCents,
          product_data: { name },
          tax_behavior: 'inclusive',
        },
      },
    ],
    automatic_tax: { enabled: tax },
    metadata: { order_uid: orderUid },
    payment_intent_data: {
      // Stripe refuses a fee of zero.
      ...(feeCents > 0 && { application_fee_amount: feeCents }),
      transfer_data: { destination: accountId },
      description: name,
      metadata: { order_uid: orderUid },
      ...(suffix && { statement_descriptor_suffix: suffix }),
    },
    expires_at: Math.floor(purchase.expiresAt.getTime() / 1000),
    success_url: returnUrl,
    cancel_url: returnUrl,
  }
}

/** Banks print Latin letters, digits and a few marks, and require at least one letter. */
function toStatement(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9 .-]/g, '')
    .trim()
  const suffix = plain.slice(0, SUFFIX_MAX).trim().toUpperCase()
  return /[A-Z]/.test(suffix) ? suffix : ''
}

/**
 * Compares the developer's share of a payment with the intended one and moves the difference. The key names
 * the amounts found, so that a repeated step takes effect only once.
 */
async function setSellerShare(
  { paymentIntents, transfers }: Stripe,
  { orderUid, paymentId, accountId, cents }: SellerShare,
): Promise<void> {
  const group = `order_${orderUid}`
  const intent = await paymentIntents.retrieve(paymentId, { expand: TRANSFER_EXPANDED })
  const charge = expanded(intent.latest_charge)
  const first = expanded(charge?.transfer)
  if (!charge || !first) return
  const later = (await transfers.list({ transfer_group: group, limit: LISTED_MAX })).data
  const fee = expanded(charge.application_fee)
  const all = [...later, first]
  const held = sum(all.map(leftOf)) - (fee ? fee.amount - fee.amount_refunded : 0)
  const found = [...all.map(({ amount_reversed }) => amount_reversed), fee?.amount_refunded ?? 0]
  const key = `share ${orderUid} ${found.join('-')} ${Math.floor(Date.now() / SAME_MS)}`
  const metadata = { order_uid: orderUid }
  if (cents > held) {
    const [amount, { currency }] = [cents - held, charge]
    const params = { amount, currency, destination: accountId, transfer_group: group, metadata }
    await transfers.create(params, { idempotencyKey: key })
  }
  let excess = held - cents
  for (const transfer of all) {
    const amount = Math.min(excess, leftOf(transfer))
    if (amount <= 0) continue
    await transfers.createReversal(
      transfer.id,
      { amount, metadata },
      { idempotencyKey: `${key} ${transfer.id}` },
    )
    excess -= amount
  }
}

function leftOf({ amount, amount_reversed }: Stripe.Transfer): number {
  return amount - amount_reversed
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
