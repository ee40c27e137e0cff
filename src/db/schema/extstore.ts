import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { users } from './accounts.ts'
import { createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** Links a game to its app in the external store. The keys exist only while sign-in is enabled. */
export const extstoreLinks = pgTable(
  'extstore_links',
  {
    gameUid: gameUid().primaryKey(),
    appId: bigint('app_id', { mode: 'number' }).notNull().unique(),
    linkedAt: moment('linked_at').notNull().defaultNow(),
    lastSyncAt: moment('last_sync_at'),
    /** Used by the developer's servers. Encrypted instead of hashed, because owners can view it again. */
    authKey: text('auth_key'),
    /** SHA-256 of the auth key, to find it without knowing the game; null until it was first needed. */
    authKeyHash: text('auth_key_hash'),
    /** Not a secret: it is part of every game build. */
    ticketKey: text('ticket_key'),
    /** The developer's own API key for the external store, encrypted. */
    webApiKey: text('web_api_key'),
  },
  (table) => [
    check(
      'extstore_links_keys',
      sql`num_nonnulls(${table.authKey}, ${table.ticketKey}, ${table.webApiKey}) in (0, 3)`,
    ),
    index('extstore_links_auth_key').on(table.authKeyHash),
  ],
)

/** One row per session token; its uid is the token's `jti`. Tickets and tokens themselves are not stored. */
export const extstoreSessions = pgTable(
  'extstore_sessions',
  {
    uid: uid(),
    gameUid: gameUid(),
    extstoreId: text('extstore_id').notNull(),
    /** The account that owns the copy when the game is borrowed through family sharing. */
    ownerExtstoreId: text('owner_extstore_id'),
    userUid: uuid('user_uid').references(() => users.id, { onDelete: 'set null' }),
    ip: text('ip').notNull(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    index('extstore_sessions_player').on(table.gameUid, table.extstoreId, table.expiresAt),
    index('extstore_sessions_expires').on(table.expiresAt),
    index('extstore_sessions_user').on(table.userUid),
  ],
)

/** Players whose tokens were all revoked: any token issued before that moment is invalid. */
export const extstoreRevocations = pgTable(
  'extstore_revocations',
  {
    gameUid: gameUid(),
    extstoreId: text('extstore_id').notNull(),
    revokedAt: moment('revoked_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gameUid, table.extstoreId] }),
    index('extstore_revocations_revoked').on(table.revokedAt),
  ],
)

/** Nonces of OpenID sign-ins that were already used, to prevent replays. */
export const extstoreNonces = pgTable(
  'extstore_nonces',
  {
    nonce: text('nonce').primaryKey(),
    usedAt: moment('used_at').notNull().defaultNow(),
  },
  (table) => [index('extstore_nonces_used').on(table.usedAt)],
)
