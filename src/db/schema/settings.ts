import { sql } from 'drizzle-orm'
import { boolean, check, integer, pgTable, text } from 'drizzle-orm/pg-core'

import { SECOND_FACTOR_POLICIES } from '../../domain/second-factor.ts'
import { moment } from './columns.ts'

/** What operators set: a single row. Null is the default of a field. */
export const settings = pgTable(
  'settings',
  {
    singleton: boolean('singleton').primaryKey().default(true),
    /** Grows with every change. */
    revision: integer('revision').notNull().default(0),
    secondFactor: text('second_factor', { enum: SECOND_FACTOR_POLICIES }),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [check('settings_singleton', sql`${table.singleton}`)],
)
