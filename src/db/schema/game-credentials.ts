import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { createdAt, moment, uid } from './columns.ts'

/** Pairs with which a pipeline pushes builds of one game; only the secret's SHA-256 is kept. */
export const deployKeys = pgTable(
  'deploy_keys',
  {
    uid: uid(),
    gameUid: uuid('game_uid').notNull(),
    accessToken: text('access_token').notNull().unique(),
    secretHash: text('secret_hash').notNull(),
    createdAt: createdAt(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [index('deploy_keys_game_uid').on(table.gameUid)],
)

/** The key a developer's own servers hold: shown again to owners, so encrypted instead of hashed. */
export const gameAuthKeys = pgTable('game_auth_keys', {
  gameUid: uuid('game_uid').primaryKey(),
  authKey: text('auth_key').notNull(),
  createdAt: createdAt(),
})
