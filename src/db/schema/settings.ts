import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { SECOND_FACTOR_POLICIES } from '../../domain/confirmation.ts'
import { STORE_IMAGES, type StoredSettings } from '../../domain/store-settings.ts'
import { users } from './accounts.ts'
import { bytes, createdAt, moment, uid } from './columns.ts'

/** What operators set, in a single row. Null stands for the default of a field. */
export const settings = pgTable(
  'settings',
  {
    singleton: boolean('singleton').primaryKey().default(true),
    /** Incremented by every change. */
    revision: integer('revision').notNull().default(0),
    secondFactor: text('second_factor', { enum: SECOND_FACTOR_POLICIES }),
    /** All other fields, by name; those that are missing have their default. */
    stored: jsonb('stored').$type<StoredSettings>().notNull().default({}),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [check('settings_singleton', sql`${table.singleton}`)],
)

/** The store's images as they are served: few and small, so they are not in the object store. */
export const settingsImages = pgTable(
  'settings_images',
  {
    name: text('name', { enum: STORE_IMAGES }).notNull(),
    /** For icons the side in pixels, otherwise `full`. */
    variant: text('variant').notNull(),
    /** The hash of the largest variant, which names all variants. */
    sha256: text('sha256').notNull(),
    bytes: bytes('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.variant] })],
)

/** Codes by which people may create an account where that is not open to everyone. */
export const invitations = pgTable('invitations', {
  uid: uid(),
  codeHash: text('code_hash').notNull().unique(),
  /** The first characters of the code, by which operators tell them apart. */
  hint: text('hint').notNull(),
  /** The only address that may use it; it also counts where sign-up is closed. */
  email: text('email'),
  uses: integer('uses').notNull(),
  used: integer('used').notNull().default(0),
  expiresAt: moment('expires_at'),
  /** The code ends when this account is deleted, suspended or no longer an operator. */
  createdBy: uuid('created_by').references(() => users.id, { onDelete: 'cascade' }),
  createdAt: createdAt(),
})

/** Secrets in the addresses by which a store without operators is set up. Only their hashes are stored. */
export const setupTokens = pgTable('setup_tokens', {
  tokenHash: text('token_hash').primaryKey(),
  expiresAt: moment('expires_at').notNull(),
})

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
