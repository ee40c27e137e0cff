import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import {
  DISPUTE_STATES,
  ORDER_STATUSES,
  REFUND_ROLES,
  REFUND_STATES,
} from '../../../domain/listings/orders.ts'
import { users } from '../accounts.ts'
import { createdAt, moment, uid } from '../columns.ts'

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
    /** The Stripe account that gets the rest. */
    accountId: text('account_id').notNull(),
    status: text('status', { enum: ORDER_STATUSES }).notNull().default('open'),
    refundedCents: integer('refunded_cents').notNull().default(0),
    /** The part of the fee that was given back. */
    feeRefundedCents: integer('fee_refunded_cents').notNull().default(0),
    dispute: text('dispute', { enum: DISPUTE_STATES }),
    /** What banks took back, or hold while they decide. */
    disputedCents: integer('disputed_cents').notNull().default(0),
    /** Since a dispute, or a refund that came back: the store itself moves what the developer has of it. */
    settlesShare: boolean('settles_share').notNull().default(false),
    /** What the buyer's mails about refunds have told so far. */
    toldCents: integer('told_cents').notNull().default(0),
    /** Of the card, for the sales; null if unknown. */
    country: text('country'),
    /** Null until Stripe answered: nobody can pay before. */
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
    /** Counts the changes: one that was read before the last is not written. */
    revision: integer('revision').notNull().default(0),
  },
  (table) => [
    // Whatever forgets to ask: nobody can pay twice for one game at the same time.
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

/** Money to give back; written before Stripe is asked, so that no crash asks twice. */
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
