import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { users } from './accounts.ts'
import { createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** Key pairs with which a pipeline pushes builds of one game; only the SHA-256 of the secret is stored. */
export const deployKeys = pgTable(
  'deploy_keys',
  {
    uid: uid(),
    gameUid: gameUid(),
    accessToken: text('access_token').notNull().unique(),
    secretHash: text('secret_hash').notNull(),
    /** Null once that account is deleted. */
    issuedBy: uuid('issued_by').references(() => users.id, { onDelete: 'set null' }),
    createdAt: createdAt(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    index('deploy_keys_game_uid').on(table.gameUid),
    index('deploy_keys_issued_by').on(table.issuedBy),
  ],
)
