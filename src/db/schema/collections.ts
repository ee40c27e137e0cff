import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { createdAt, moment, uid } from './columns.ts'

/** Rows of listings that operators put together. */
export const collections = pgTable('collections', {
  uid: uid(),
  slug: text('slug').notNull().unique(),
  title: text('title').notNull(),
  text: text('text').notNull().default(''),
  /** In their order. A listing that is hidden or deleted stays here, and comes back with its page. */
  gameUids: uuid('game_uids').array().notNull(),
  onHome: boolean('on_home').notNull().default(false),
  /** Null: at once. */
  from: moment('shown_from'),
  /** Null: until it is deleted. */
  until: moment('shown_until'),
  createdAt: createdAt(),
})
