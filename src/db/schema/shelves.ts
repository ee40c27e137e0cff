import { date, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { SHELF_KINDS } from '../../domain/listings/shelves.ts'

/** The current games of each shelf, in order; rebuilt every minute. */
export const shelves = pgTable(
  'shelves',
  {
    kind: text('kind', { enum: SHELF_KINDS }).notNull(),
    /** An operating system, or `any`. */
    os: text('os').notNull(),
    date: date('date').notNull(),
    gameUids: uuid('game_uids').array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.os] })],
)
