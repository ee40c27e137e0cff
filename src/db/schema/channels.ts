import { type AnyPgColumn, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import { APPROVAL_KINDS } from '../../domain/approvals.ts'
import { CHANNEL_MOVES } from '../../domain/builds/channels.ts'
import { users } from './accounts.ts'
import { appUid, builds, buildUid, platformColumns } from './builds.ts'
import { createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** Every move of every channel. A rollback continues from the parent of the move it undoes. */
export const channelMoves = pgTable(
  'channel_moves',
  {
    uid: uid(),
    gameUid: gameUid(),
    appUid: appUid(),
    channel: text('channel').notNull(),
    ...platformColumns(),
    kind: text('kind', { enum: CHANNEL_MOVES }).notNull(),
    fromBuildUid: uuid('from_build_uid').references(() => builds.uid, { onDelete: 'set null' }),
    fromVersion: text('from_version'),
    /** Null once the build is deleted: a rollback then continues with the move before. */
    toBuildUid: uuid('to_build_uid').references(() => builds.uid, { onDelete: 'set null' }),
    toVersion: text('to_version').notNull(),
    parentUid: uuid('parent_uid').references((): AnyPgColumn => channelMoves.uid),
    /** A username, `<program> for <username>`, `deploy key …abcd`, or `Playshelf` for automatic moves. */
    movedBy: text('moved_by').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('channel_moves_channel').on(table.appUid, table.channel, table.uid),
    index('channel_moves_game').on(table.gameUid, table.uid),
    index('channel_moves_to').on(table.toBuildUid),
    index('channel_moves_from').on(table.fromBuildUid),
    index('channel_moves_parent').on(table.parentUid),
  ],
)

/** The current build of each channel, per platform. */
export const channelPointers = pgTable(
  'channel_pointers',
  {
    gameUid: gameUid(),
    appUid: appUid(),
    channel: text('channel').notNull(),
    ...platformColumns(),
    buildUid: buildUid(),
    moveUid: uuid('move_uid')
      .notNull()
      .references(() => channelMoves.uid),
    movedAt: moment('moved_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.appUid, table.channel, table.os, table.arch] }),
    index('channel_pointers_game').on(table.gameUid, table.channel),
    index('channel_pointers_build').on(table.buildUid),
    index('channel_pointers_move').on(table.moveUid),
  ],
)

/** An agent's request to move stable or to set webhooks; the owner decides through a mailed link. */
export const promotionRequests = pgTable(
  'promotion_requests',
  {
    uid: uid(),
    gameUid: gameUid(),
    kind: text('kind', { enum: APPROVAL_KINDS }).notNull().default('promotion'),
    /** Of a promotion. */
    channel: text('channel'),
    buildUid: uuid('build_uid').references(() => builds.uid, { onDelete: 'cascade' }),
    /** Of webhooks: the whole list that is asked for. */
    webhookUrls: text('webhook_urls').array(),
    requestedBy: uuid('requested_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** `<program> for <username>`, as they were called when they asked. */
    askedBy: text('asked_by').notNull().default('a program'),
    /** The request ends with the program's consent. Null: asked before this was recorded. */
    clientId: text('client_id'),
    tokenHash: text('token_hash').notNull(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    decidedAt: moment('decided_at'),
  },
  (table) => [
    uniqueIndex('promotion_requests_token').on(table.tokenHash),
    index('promotion_requests_game').on(table.gameUid),
    index('promotion_requests_build').on(table.buildUid),
    index('promotion_requests_user').on(table.requestedBy),
  ],
)
