import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'

import { moment } from './columns.ts'

/** Counters of limits per day, which must survive a restart. */
export const rateCounts = pgTable(
  'rate_counts',
  {
    key: text('key').primaryKey(),
    count: integer('count').notNull(),
    endsAt: moment('ends_at').notNull(),
  },
  (table) => [index('rate_counts_end').on(table.endsAt)],
)
