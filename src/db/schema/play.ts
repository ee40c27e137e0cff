import { index, pgTable, uuid } from 'drizzle-orm/pg-core'

import { moment } from './columns.ts'

/** Tickets of play origins that were already used, to prevent replays. */
export const usedPlayTickets = pgTable(
  'used_play_tickets',
  {
    uid: uuid('uid').primaryKey(),
    usedAt: moment('used_at').notNull().defaultNow(),
  },
  (table) => [index('used_play_tickets_used').on(table.usedAt)],
)
