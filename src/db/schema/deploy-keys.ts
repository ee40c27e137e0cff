import { index, pgTable, text } from 'drizzle-orm/pg-core'

import { createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games.ts'

/** Pairs with which a pipeline pushes builds of one game; only the secret's SHA-256 is kept. */
export const deployKeys = pgTable(
  'deploy_keys',
  {
    uid: uid(),
    gameUid: gameUid(),
    accessToken: text('access_token').notNull().unique(),
    secretHash: text('secret_hash').notNull(),
    createdAt: createdAt(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [index('deploy_keys_game_uid').on(table.gameUid)],
)
