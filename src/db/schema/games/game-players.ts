import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import { LICENSE_SOURCES } from '../../../domain/listings/listing.ts'
import { users } from '../accounts.ts'
import { belongsTo, createdAt, moment, uid } from '../columns.ts'
import { gameUid } from './games.ts'

const userUid = () => belongsTo('user_uid', () => users.id)

/** The games in each player's library. */
export const licenses = pgTable(
  'licenses',
  {
    userUid: userUid(),
    /** Not a reference: a licence outlives its listing, so that its holder sees what became of it. */
    gameUid: uuid('game_uid').notNull(),
    source: text('source', { enum: LICENSE_SOURCES }).notNull(),
    /** What it was bought or redeemed for; null for the listing itself. */
    editionUid: uuid('edition_uid'),
    /** The order that pays for it. The licence ends when no order does any more. */
    orderUid: uuid('order_uid'),
    beta: boolean('beta').notNull().default(false),
    /** A gift of the owner that its holder has not accepted yet; it grants nothing until then. */
    pending: boolean('pending').notNull().default(false),
    /** When its holder removed it from the library; it stays valid. */
    hiddenAt: moment('hidden_at'),
    /** The game's name when the licence was granted, shown to its holder while the listing is hidden. */
    gameName: text('game_name'),
    createdAt: createdAt(),
    /** When the listing was deleted. */
    removedAt: moment('removed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userUid, table.gameUid] }),
    index('licenses_game').on(table.gameUid),
  ],
)

/** Play time of each player, credited from the heartbeats of running games. */
export const playTimes = pgTable(
  'play_times',
  {
    userUid: userUid(),
    gameUid: gameUid(),
    seconds: integer('seconds').notNull().default(0),
    /** When time was last credited; null for what was played before this was kept. */
    playedAt: moment('played_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userUid, table.gameUid] }),
    index('play_times_game').on(table.gameUid),
  ],
)

export const reviews = pgTable(
  'reviews',
  {
    uid: uid(),
    gameUid: gameUid(),
    userUid: userUid(),
    rating: integer('rating').notNull(),
    text: text('text').notNull(),
    /** What the developer answered. */
    answer: text('answer'),
    answeredAt: moment('answered_at'),
    answerUpdatedAt: moment('answer_updated_at'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('reviews_game_user').on(table.gameUid, table.userUid),
    index('reviews_game_created').on(table.gameUid, table.createdAt, table.uid),
    index('reviews_game_rating').on(table.gameUid, table.rating),
    index('reviews_user').on(table.userUid),
  ],
)
