import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { users } from './accounts.ts'
import { createdAt, moment, uid } from './columns.ts'

/** Stores only the SHA-256 of a key: it has 256 random bits, so no slower hash is needed. */
export const playerKeys = pgTable(
  'player_keys',
  {
    uid: uid(),
    userUid: uuid('user_uid')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    label: text('label').notNull(),
    keyHash: text('key_hash').notNull().unique(),
    last4: text('last4').notNull(),
    scopes: text('scopes').array().notNull(),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('player_keys_user_uid').on(table.userUid)],
)
