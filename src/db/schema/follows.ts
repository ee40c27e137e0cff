import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

import { OPERATING_SYSTEMS } from '../../domain/builds/platforms.ts'
import { users } from './accounts.ts'
import { belongsTo, createdAt, moment } from './columns.ts'
import { gameUid } from './games/games.ts'

const userUid = () => belongsTo('user_uid', () => users.id)

/** Who follows which listing, and what they want to hear of it. */
export const gameFollows = pgTable(
  'game_follows',
  {
    userUid: userUid(),
    gameUid: gameUid(),
    releases: boolean('releases').notNull().default(true),
    posts: boolean('posts').notNull().default(true),
    /** Only releases for these systems; empty: for all. */
    platforms: text('platforms', { enum: OPERATING_SYSTEMS })
      .array()
      .notNull()
      .default(sql`'{}'`),
    wish: boolean('wish').notNull().default(false),
    /** Order of the wishlist, from 1. */
    position: integer('position'),
    /** The price when it was wished. */
    wishedPriceCents: integer('wished_price_cents'),
    /** Only what happens afterwards is told. */
    createdAt: createdAt(),
    wishedAt: moment('wished_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userUid, table.gameUid] }),
    index('game_follows_game').on(table.gameUid, table.createdAt),
    index('game_follows_wishes')
      .on(table.userUid, table.position)
      .where(sql`wish`),
  ],
)

export const developerFollows = pgTable(
  'developer_follows',
  {
    userUid: userUid(),
    developerUid: belongsTo('developer_uid', () => users.id),
    newGames: boolean('new_games').notNull().default(true),
    posts: boolean('posts').notNull().default(true),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userUid, table.developerUid] }),
    index('developer_follows_developer').on(table.developerUid, table.createdAt),
  ],
)

/** The secret addresses of wishlists that are shared. */
export const wishlistShares = pgTable('wishlist_shares', {
  userUid: userUid().primaryKey(),
  tokenHash: text('token_hash').notNull().unique(),
  /** Encrypted: its owner reads it again to pass it on. */
  token: text('token').notNull(),
  createdAt: createdAt(),
})

/** The private feeds of what people follow; only the SHA-256 of a key is stored. */
export const feedKeys = pgTable('feed_keys', {
  userUid: userUid().primaryKey(),
  keyHash: text('key_hash').notNull().unique(),
  createdAt: createdAt(),
})
