import { sql } from 'drizzle-orm'
import { boolean, check, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { SECOND_FACTOR_POLICIES } from '../../domain/second-factor.ts'
import { STORE_IMAGES, type StoredSettings } from '../../domain/store-settings.ts'
import { users } from './accounts.ts'
import { bytes, createdAt, moment, uid } from './columns.ts'

/** What operators set: a single row. Null is the default of a field. */
export const settings = pgTable(
  'settings',
  {
    singleton: boolean('singleton').primaryKey().default(true),
    /** Grows with every change. */
    revision: integer('revision').notNull().default(0),
    secondFactor: text('second_factor', { enum: SECOND_FACTOR_POLICIES }),
    /** All other fields, by name; those that are missing have their default. */
    stored: jsonb('stored').$type<StoredSettings>().notNull().default({}),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [check('settings_singleton', sql`${table.singleton}`)],
)

/** The images of the store as they are served. They are few and small, so that no object store is needed for them. */
export const settingsImages = pgTable(
  'settings_images',
  {
    name: text('name', { enum: STORE_IMAGES }).notNull(),
    /** Of an icon the side in pixels, otherwise `full`. */
    variant: text('variant').notNull(),
    /** Of the largest variant, which all of them are named by. */
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
  /** It ends when this account does, is suspended or runs the store no longer. */
  createdBy: uuid('created_by').references(() => users.id, { onDelete: 'cascade' }),
  createdAt: createdAt(),
})

/** Secrets in the addresses by which a store without operators is set up. Only their hashes are stored. */
export const setupTokens = pgTable('setup_tokens', {
  tokenHash: text('token_hash').primaryKey(),
  expiresAt: moment('expires_at').notNull(),
})
