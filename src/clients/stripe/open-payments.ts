import type { Stripe } from 'stripe'

import { once } from '../../lib/flow/once.ts'
import { isUid } from '../../lib/ids.ts'
import { LISTED_TYPES, readEvent, toEvent } from './events.ts'
import { EXPANDED, toPaymentState } from './payment-state.ts'
import { type AccountState, type Payments, type PaymentSettings, PaymentsFailure } from './payments.ts'
import { toSessionParams } from './session-params.ts'
import { setShare } from './transfers.ts'

/** Pinned: a newer one changes the shape of what Stripe answers. */
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 6000
const RETRIES = 2
const LISTED_MAX = 100
const STRIPE_PAGES = ['https://checkout.stripe.com', 'https://connect.stripe.com']

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
      const session = await stripe.checkout.sessions.retrieve(sessionId, { expand: [...EXPANDED] })
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
        // With a wrong or limited key everything is forbidden, which says nothing of the account.
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
        // Stripe refuses what is paid or expired already: its state says which.
        if (!(error instanceof PaymentsFailure && error.kind === 'refused')) throw error
      }
      return await readPayment(sessionId)
    },
    findOrderOf: (paymentId) =>
      ask(async ({ paymentIntents }) => {
        const { order_uid: orderUid } = (await paymentIntents.retrieve(paymentId)).metadata
        return orderUid !== undefined && isUid(orderUid) ? orderUid : null
      }),
    refund: ({ refundUid, orderUid, paymentId, amountCents, hasFee, isAlone }) =>
      ask(async ({ refunds }) => {
        // Stripe forgets idempotency keys after a day; what it lists it never forgets.
        const { data } = await refunds.list({ payment_intent: paymentId, limit: LISTED_MAX })
        const known = data.find(({ metadata }) => metadata?.['refund_uid'] === refundUid)
        const params: Stripe.RefundCreateParams = {
          payment_intent: paymentId,
          amount: amountCents,
          reason: 'requested_by_customer',
          ...(!isAlone && { reverse_transfer: true }),
          ...(!isAlone && hasFee && { refund_application_fee: true }),
          metadata: { refund_uid: refundUid, order_uid: orderUid },
        }
        const key = { idempotencyKey: `refund ${refundUid}${isAlone ? ' alone' : ''}` }
        const made = known ?? (await refunds.create(params, key))
        if (hasFailed(made)) throw new PaymentsFailure('refused', faultOf(made))
      }),
    setShare: (share) => ask((stripe) => setShare(stripe, share)),
    listFailedRefunds: (paymentId) =>
      ask(async ({ refunds }) => {
        const { data } = await refunds.list({ payment_intent: paymentId, limit: LISTED_MAX })
        return data.filter(hasFailed).flatMap((refund) => {
          const refundUid = refund.metadata?.['refund_uid'] ?? ''
          return isUid(refundUid) ? [{ refundUid, fault: faultOf(refund) }] : []
        })
      }),
    readEvent: async (body, signature) =>
      readEvent((await client()).webhooks, settings.webhookSecrets, body, signature),
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

/** Passes on what Stripe says, which names no secrets, and never the request. */
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
