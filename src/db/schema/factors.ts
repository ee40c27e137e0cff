import { bigint, boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { users } from './accounts.ts'
import { createdAt, moment } from './columns.ts'

const ownedBy = (name: string) =>
  uuid(name)
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** The app that makes codes, one per account. */
export const authenticators = pgTable('authenticators', {
  userUid: ownedBy('user_uid').primaryKey(),
  /** Encrypted; shared with the app. */
  secret: text('secret').notNull(),
  /** Null until a code has shown that the app has the secret. */
  confirmedAt: moment('confirmed_at'),
  /** The time step of the newest code that was used: it and older ones work no more. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
  createdAt: createdAt(),
})

/** Those that were not used yet. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userUid: ownedBy('user_uid'),
    codeHash: text('code_hash').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.userUid, table.codeHash] })],
)

/** Property names are better-auth's field names. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    name: text('name'),
    publicKey: text('public_key').notNull(),
    userId: ownedBy('user_id'),
    credentialID: text('credential_id').notNull().unique(),
    counter: bigint('counter', { mode: 'number' }).notNull(),
    deviceType: text('device_type').notNull(),
    backedUp: boolean('backed_up').notNull(),
    transports: text('transports'),
    aaguid: text('aaguid'),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('passkeys_user_id').on(table.userId)],
)
