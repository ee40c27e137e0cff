import { sql } from 'drizzle-orm'
import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { users } from '../accounts.ts'
import { createdAt, moment } from '../columns.ts'

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
  /** Counts the changes: one that was read before the last is not written. */
  revision: integer('revision').notNull().default(0),
  createdAt: createdAt(),
})
