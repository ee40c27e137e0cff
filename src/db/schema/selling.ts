import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import { DISPUTE_STATES, ORDER_STATUSES, REFUND_ROLES, REFUND_STATES } from '../../domain/listings/orders.ts'
import { users } from './accounts.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

const person = (name: string) => uuid(name).references(() => users.id, { onDelete: 'set null' })

/** Every purchase. Outlives its buyer, its seller and its listing. */
export const orders = pgTable(
  'orders',
  {
    uid: uid(),
    /** Null once the account is deleted. */
    userUid: person('user_uid'),
    sellerUid: person('seller_uid'),
    gameUid: uuid('game_uid').notNull(),
    gameName: text('game_name').notNull(),
    editionUid: uuid('edition_uid'),
    editionName: text('edition_name'),
    amountCents: integer('amount_cents').notNull(),
    feeCents: integer('fee_cents').notNull(),
    /** The Stripe account that receives the rest. */
    accountId: text('account_id').notNull(),
    status: text('status', { enum: ORDER_STATUSES }).notNull().default('open'),
    refundedCents: integer('refunded_cents').notNull().default(0),
    /** The part of the fee that was given back. */
    feeRefundedCents: integer('fee_refunded_cents').notNull().default(0),
    dispute: text('dispute', { enum: DISPUTE_STATES }),
    /** What banks took back, or hold while they decide. */
    disputedCents: integer('disputed_cents').notNull().default(0),
    /**
     * Set after a dispute or a refund that a bank sent back: the store then adjusts the developer's share
     * itself.
     */
    settlesShare: boolean('settles_share').notNull().default(false),
    /** The refunded amount that mails have told the buyer about so far. */
    toldCents: integer('told_cents').notNull().default(0),
    /** The country of the card, shown with the sales; null if unknown. */
    country: text('country'),
    /** Null until Stripe has answered; nobody can pay before that. */
    sessionId: text('session_id').unique(),
    sessionUrl: text('session_url'),
    paymentId: text('payment_id').unique(),
    receiptUrl: text('receipt_url'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    paidAt: moment('paid_at'),
    /** When the sale ended while the order was open. A payment that arrives later is given back. */
    closedAt: moment('closed_at'),
    /** When Stripe was last asked about it. */
    checkedAt: moment('checked_at').notNull().defaultNow(),
    /** Incremented by every change, so that a state read before the last change is not written. */
    revision: integer('revision').notNull().default(0),
  },
  (table) => [
    // A last safeguard in case a check is missing: nobody can pay twice for one game at the same time.
    uniqueIndex('orders_open')
      .on(table.userUid, table.gameUid)
      .where(sql`status = 'open'`),
    index('orders_user').on(table.userUid, table.uid),
    index('orders_seller').on(table.sellerUid, table.paidAt),
    index('orders_game').on(table.gameUid, table.paidAt),
    index('orders_paid').on(table.paidAt),
    index('orders_waiting')
      .on(table.checkedAt)
      .where(sql`status = 'open'`),
  ],
)

/** Refunds to make; written before the request to Stripe, so that a crash cannot lead to a second refund. */
export const refunds = pgTable(
  'refunds',
  {
    uid: uid(),
    orderUid: uuid('order_uid')
      .notNull()
      .references(() => orders.uid),
    amountCents: integer('amount_cents').notNull(),
    reason: text('reason').notNull().default(''),
    role: text('role', { enum: REFUND_ROLES }).notNull(),
    userUid: person('user_uid'),
    state: text('state', { enum: REFUND_STATES }).notNull().default('pending'),
    /** Why Stripe refused it. */
    fault: text('fault'),
    createdAt: createdAt(),
  },
  (table) => [index('refunds_order').on(table.orderUid), index('refunds_user').on(table.userUid)],
)

/** A batch of keys that a developer created to give away. Kept as long as it has a redeemed key. */
export const keyBatches = pgTable(
  'key_batches',
  {
    uid: uid(),
    gameUid: gameUid(),
    label: text('label').notNull(),
    /** Null for the listing itself; an edition may be deleted meanwhile. */
    editionUid: uuid('edition_uid'),
    editionName: text('edition_name'),
    count: integer('count').notNull(),
    /** Null once that account is deleted. */
    createdBy: person('created_by'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at'),
    /** When the developer ended the batch. */
    endedAt: moment('ended_at'),
  },
  (table) => [
    index('key_batches_game').on(table.gameUid, table.uid),
    index('key_batches_created_by').on(table.createdBy),
  ],
)

/** Only the SHA-256 of a code is stored. Keys that nobody can redeem any more are deleted. */
export const licenseKeys = pgTable(
  'license_keys',
  {
    codeHash: text('code_hash').primaryKey(),
    batchUid: belongsTo('batch_uid', () => keyBatches.uid),
    /** Null once that account is deleted; the time stays. */
    redeemedBy: person('redeemed_by'),
    redeemedAt: moment('redeemed_at'),
  },
  (table) => [
    index('license_keys_batch').on(table.batchUid, table.redeemedAt),
    index('license_keys_redeemed_by')
      .on(table.redeemedBy)
      .where(sql`redeemed_by is not null`),
  ],
)

/** The Stripe account that a developer is paid out to, as Stripe last described it. */
export const payoutAccounts = pgTable('payout_accounts', {
  userUid: uuid('user_uid')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  accountId: text('account_id').notNull().unique(),
  chargesEnabled: boolean('charges_enabled').notNull().default(false),
  payoutsEnabled: boolean('payouts_enabled').notNull().default(false),
  /** Whether the developer went through all of Stripe's questions. */
  submitted: boolean('submitted').notNull().default(false),
  /** What Stripe still asks for, in its own words. */
  missing: text('missing')
    .array()
    .notNull()
    .default(sql`'{}'`),
  /** Since when Stripe says that there is no such account, or that the store may not use it. */
  goneAt: moment('gone_at'),
  /** Incremented by every change, so that a state read before the last change is not written. */
  revision: integer('revision').notNull().default(0),
  createdAt: createdAt(),
})

/** Events of Stripe that were processed: Stripe sends each several times. */
export const stripeEvents = pgTable(
  'stripe_events',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    receivedAt: moment('received_at').notNull().defaultNow(),
  },
  (table) => [index('stripe_events_received').on(table.receivedAt)],
)

/** A single row: how far the list of events at Stripe was read. */
export const stripeProgress = pgTable(
  'stripe_progress',
  {
    singleton: boolean('singleton').primaryKey().default(true),
    eventId: text('event_id').notNull(),
  },
  (table) => [check('stripe_progress_singleton', sql`${table.singleton}`)],
)
