import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import type { TakeDown } from '../../domain/listings/visibility.ts'
import { POST_KINDS, POST_STATES } from '../../domain/posts.ts'
import { createdAt, moment, uid } from './columns.ts'
import { images } from './games/game-pages.ts'
import { gameUid } from './games/games.ts'

/** What developers write to the players of a listing. */
export const posts = pgTable(
  'posts',
  {
    uid: uid(),
    gameUid: gameUid(),
    /** Made from the first title; stays when that changes. */
    slug: text('slug').notNull(),
    title: text('title').notNull(),
    /** Markdown, as written. */
    markdown: text('markdown').notNull().default(''),
    kind: text('kind', { enum: POST_KINDS }).notNull().default('news'),
    state: text('state', { enum: POST_STATES }).notNull().default('draft'),
    /** When a scheduled post is published. */
    publishAt: moment('publish_at'),
    publishedAt: moment('published_at'),
    pinned: boolean('pinned').notNull().default(false),
    sendToFollowers: boolean('send_to_followers').notNull().default(true),
    /** When followers were told: at most once. */
    sentAt: moment('sent_at'),
    pictureUid: uuid('picture_uid').references(() => images.uid, { onDelete: 'set null' }),
    takenDown: jsonb('taken_down').$type<Pick<TakeDown, 'at' | 'reason'>>(),
    /** Incremented by each edit; the ETag compared with If-Match. */
    revision: integer('revision').notNull().default(1),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('posts_game_slug').on(table.gameUid, table.slug),
    index('posts_game_published').on(table.gameUid, table.publishedAt, table.uid),
    index('posts_newest')
      .on(table.publishedAt, table.uid)
      .where(sql`state = 'published' and taken_down is null`),
    index('posts_scheduled')
      .on(table.publishAt)
      .where(sql`state = 'scheduled'`),
    uniqueIndex('posts_pinned')
      .on(table.gameUid)
      .where(sql`pinned`),
    index('posts_picture').on(table.pictureUid),
  ],
)
