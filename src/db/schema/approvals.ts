import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import { APPROVAL_KINDS } from '../../domain/reports.ts'
import { users } from './accounts.ts'
import { builds } from './builds.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'
import { jams } from './jams.ts'
import { posts } from './posts.ts'

/** What a program asks for, such as to move stable or to publish a post; the owner decides through a mailed link. */
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
    /** Of a post: what is to be published. */
    postUid: uuid('post_uid').references(() => posts.uid, { onDelete: 'cascade' }),
    /** Of an entry: the jam, and the note for its voters. */
    jamUid: uuid('jam_uid').references(() => jams.uid, { onDelete: 'cascade' }),
    entryNote: text('entry_note'),
    requestedBy: belongsTo('requested_by', () => users.id),
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
    index('promotion_requests_post').on(table.postUid),
    index('promotion_requests_jam').on(table.jamUid),
  ],
)
