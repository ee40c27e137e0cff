import { sql } from 'drizzle-orm'
import { boolean, check, jsonb, pgTable, uuid } from 'drizzle-orm/pg-core'

import { createdAt } from './columns.ts'

/** A sweep that found so many unused objects that it waits for the operator's approval. */
export interface HeldSweep {
  at: string
  objects: number
  bytes: number
}

/** A single row. The object store has the same id, so that a wrong database or store is detected. */
export const installation = pgTable(
  'installation',
  {
    singleton: boolean('singleton').primaryKey().default(true),
    id: uuid('id').notNull(),
    heldSweep: jsonb('held_sweep').$type<HeldSweep>(),
    createdAt: createdAt(),
  },
  (table) => [check('installation_singleton', sql`${table.singleton}`)],
)
