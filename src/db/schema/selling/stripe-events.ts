import { sql } from 'drizzle-orm'
import { boolean, check, index, pgTable, text } from 'drizzle-orm/pg-core'

import { moment } from '../columns.ts'

/** The events of Stripe that were taken in: each comes several times. */
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
