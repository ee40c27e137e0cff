import { randomBytes } from 'node:crypto'

export interface Account {
  id: string
  object: 'account'
  type: 'express'
  email: string | null
  charges_enabled: boolean
  payouts_enabled: boolean
  details_submitted: boolean
  requirements: { currently_due: string[]; past_due: string[]; disabled_reason: string | null }
  metadata: Record<string, string>
}

export interface Session {
  id: string
  object: 'checkout.session'
  livemode: false
  mode: 'payment'
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid'
  url: string | null
  success_url: string
  cancel_url: string
  created: number
  expires_at: number
  amount_total: number
  currency: string
  client_reference_id: string | null
  metadata: Record<string, string>
  customer_details: { email: string | null; address: { country: string } | null } | null
  payment_intent: string | null
}

/** What a session passes on to its payment. */
export interface PaymentPlan {
  fee: number | null
  destination: string
  description: string
  suffix: string | null
  metadata: Record<string, string>
}

export interface Intent {
  id: string
  object: 'payment_intent'
  amount: number
  currency: string
  status: 'succeeded'
  latest_charge: string
  transfer_data: { destination: string }
  application_fee_amount: number | null
  statement_descriptor_suffix: string | null
  metadata: Record<string, string>
}

export interface Charge {
  id: string
  object: 'charge'
  created: number
  amount: number
  amount_refunded: number
  currency: string
  paid: true
  refunded: boolean
  disputed: boolean
  payment_intent: string
  application_fee: string | null
  transfer: string
  transfer_group: string
  receipt_url: string
  payment_method_details: { type: 'card'; card: { country: string } }
  metadata: Record<string, string>
}

export interface Fee {
  id: string
  object: 'application_fee'
  amount: number
  amount_refunded: number
  charge: string
  account: string
}

/** To the account of a developer. */
export interface Transfer {
  id: string
  object: 'transfer'
  created: number
  amount: number
  amount_reversed: number
  reversed: boolean
  currency: string
  destination: string
  /** The charge that it was made with; null for one that was made by itself. */
  source_transaction: string | null
  transfer_group: string | null
  metadata: Record<string, string>
}

export interface Refund {
  id: string
  object: 'refund'
  amount: number
  charge: string
  payment_intent: string
  status: 'succeeded' | 'failed'
  failure_reason?: string
  metadata: Record<string, string>
}

export interface Dispute {
  id: string
  object: 'dispute'
  amount: number
  charge: string
  payment_intent: string
  reason: 'fraudulent'
  status: 'needs_response' | 'won' | 'lost'
}

export interface StripeEvent {
  id: string
  object: 'event'
  type: string
  created: number
  livemode: false
  api_version: string
  data: { object: object }
}

/** The books of the double: what real money would have done. */
export interface Books {
  accounts: Map<string, Account>
  sessions: Map<string, Session>
  plans: Map<string, PaymentPlan>
  intents: Map<string, Intent>
  charges: Map<string, Charge>
  fees: Map<string, Fee>
  refunds: Map<string, Refund>
  disputes: Map<string, Dispute>
  transfers: Map<string, Transfer>
  events: StripeEvent[]
}

export function createBooks(): Books {
  return {
    accounts: new Map(),
    sessions: new Map(),
    plans: new Map(),
    intents: new Map(),
    charges: new Map(),
    fees: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    transfers: new Map(),
    events: [],
  }
}

export function createId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** Stripe's answer to a request that it refuses. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly type: 'invalid_request_error' | 'idempotency_error' | 'api_error',
    message: string,
    readonly code?: string,
    readonly param?: string,
  ) {
    super(message)
  }
}

export function missing(kind: string, id: string): Refusal {
  return new Refusal(404, 'invalid_request_error', `No such ${kind}: '${id}'`, 'resource_missing', 'id')
}
