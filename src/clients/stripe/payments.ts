import type { DisputeState } from '../../domain/listings/orders.ts'

/** Everything that Stripe receives about an order. */
export interface Purchase {
  orderUid: string
  name: string
  amountCents: number
  feeCents: number
  currency: string
  accountId: string
  email: string
  expiresAt: Date
  returnUrl: string
  storeName: string
}

/** Where a payment stands at Stripe. */
export interface PaymentState {
  sessionId: string
  session: 'open' | 'complete' | 'expired'
  /** Null until the money is there. */
  payment: {
    id: string
    paidAt: Date
    receiptUrl: string | null
    country: string | null
    refundedCents: number
    feeRefundedCents: number
    dispute: DisputeState | null
    /** What banks took back or hold. */
    disputedCents: number
  } | null
}

export interface AccountState {
  chargesEnabled: boolean
  payoutsEnabled: boolean
  submitted: boolean
  missing: string[]
}

interface RefundOrder {
  refundUid: string
  orderUid: string
  paymentId: string
  amountCents: number
  /** Whether the store took a fee. */
  hasFee: boolean
  /** Leaves the transfer and the fee as they are: `setSellerShare` follows. */
  keepsTransfer: boolean
}

/** The share of a payment that the developer should have. */
export interface SellerShare {
  orderUid: string
  paymentId: string
  accountId: string
  cents: number
}

export interface FailedRefund {
  refundUid: string
  fault: string
}

/** What an event is about. The rest is read from Stripe, because events arrive late and in any order. */
export type EventSubject = OrderSubject | { kind: 'account'; accountId: string }

/** An order, or a payment whose order has to be found. The session's id may come before the answer to our own call. */
export type OrderSubject =
  { kind: 'order'; orderUid: string; sessionId: string } | { kind: 'payment'; paymentId: string }

export interface PaymentEvent {
  id: string
  type: string
  /** Null for what does not concern the store. */
  subject: EventSubject | null
}

/** A page of Stripe's list of events: next to an event on its newer or older side, or else the newest ones. */
export interface EventPage {
  newerThan?: string
  olderThan?: string
  /** Nothing that was created later. */
  until: Date
}

/** Stripe, as far as the store uses it. Every call throws `PaymentsFailure`. */
export interface Payments {
  mode: 'test' | 'live'
  /** The origins of the pages that people are sent to. */
  pageOrigins: readonly string[]
  /**
   * `replaces`: the previous account of the same person, which is gone. Repeated calls create one account
   * only.
   */
  createAccount(user: { userUid: string; email: string }, replaces: string | null): Promise<string>
  /** Null when there is no such account, or the store may no longer use it. */
  readAccount(accountId: string): Promise<AccountState | null>
  /** An address of Stripe where the developer answers its questions; it works once. */
  onboardingUrl(accountId: string, pages: { returnUrl: string; refreshUrl: string }): Promise<string>
  dashboardUrl(accountId: string): Promise<string>
  /** Repeated calls for an order return the same session. */
  openSession(purchase: Purchase): Promise<{ sessionId: string; url: string }>
  readPayment(sessionId: string): Promise<PaymentState>
  /** Nobody can pay afterwards. Returns the current state, which is paid if a payment was faster. */
  expireSession(sessionId: string): Promise<PaymentState>
  /** The order of a payment that the store does not know yet; null for payments of others. */
  findOrderOf(paymentId: string): Promise<string | null>
  /** Also gives back fee and transfer, unless told otherwise. Repeated calls make the refund once. */
  refund(order: RefundOrder): Promise<void>
  /**
   * Moves the difference between the share that the developer has and the one given here, in either
   * direction.
   */
  setSellerShare(share: SellerShare): Promise<void>
  /** Our own refunds that a bank sent back, which can happen weeks later. */
  listFailedRefunds(paymentId: string): Promise<FailedRefund[]>
  /** Null for an event without a signature of Stripe from the last minutes. */
  readEvent(body: string, signature: string): Promise<PaymentEvent | null>
  /** The events that concern orders, the newest first. Stripe keeps them for 30 days. */
  listEvents(page: EventPage): Promise<{ events: PaymentEvent[]; hasMore: boolean }>
  /** The addresses that events are sent to. */
  listWebhookUrls(): Promise<string[]>
  check(): Promise<void>
}

/** refused: Stripe rejected the request and did nothing; unknown: it may have carried the request out. */
export class PaymentsFailure extends Error {
  override readonly name = 'PaymentsFailure'

  constructor(
    readonly kind: 'refused' | 'unknown',
    message: string,
    /** What Stripe answered. */
    readonly answer: { status?: number | undefined; code?: string | undefined } = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
