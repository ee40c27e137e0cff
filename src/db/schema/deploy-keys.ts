import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import type { BuildOrigin } from '../../domain/builds/publishers.ts'
import { users } from './accounts.ts'
import { createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'
import { publishers } from './publishers.ts'

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
    /** The fields from here on are those of a trusted publisher's key; null for a pair that a person issued. */
    expiresAt: moment('expires_at'),
    publisherUid: uuid('publisher_uid').references(() => publishers.uid, { onDelete: 'set null' }),
    /** Null: all channels. */
    channels: text('channels').array(),
    origin: jsonb('origin').$type<BuildOrigin>(),
  },
  (table) => [
    index('deploy_keys_game_uid').on(table.gameUid),
    index('deploy_keys_issued_by').on(table.issuedBy),
    index('deploy_keys_publisher').on(table.publisherUid),
    index('deploy_keys_expiry')
      .on(table.expiresAt)
      .where(sql`expires_at is not null`),
  ],
)
