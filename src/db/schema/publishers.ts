import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { PUBLISHER_PROVIDERS } from '../../domain/builds/publishers.ts'
import { users } from './accounts.ts'
import { createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** Pipelines that may publish builds of a game by proving which repository and workflow they are. */
export const publishers = pgTable(
  'publishers',
  {
    uid: uid(),
    gameUid: gameUid(),
    provider: text('provider', { enum: PUBLISHER_PROVIDERS }).notNull(),
    issuer: text('issuer').notNull(),
    repository: text('repository').notNull(),
    workflow: text('workflow'),
    environment: text('environment'),
    ref: text('ref'),
    /**
     * The provider's number of the repository, known from the first exchange: others can register its name
     * again.
     */
    repositoryId: text('repository_id'),
    repositoryOwnerId: text('repository_owner_id'),
    /** Null: all channels. */
    channels: text('channels').array(),
    /** Null once that account is deleted. */
    addedBy: uuid('added_by').references(() => users.id, { onDelete: 'set null' }),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('publishers_game').on(table.gameUid), index('publishers_added_by').on(table.addedBy)],
)

/** Pipeline tokens that were exchanged for a key, so that no process accepts one twice. */
export const usedPipelineTokens = pgTable(
  'used_pipeline_tokens',
  {
    /** SHA-256 of the issuer and the token's id. */
    digest: text('digest').primaryKey(),
    /** From then on the token is too old to be accepted anyway. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('used_pipeline_tokens_expiry').on(table.expiresAt)],
)
