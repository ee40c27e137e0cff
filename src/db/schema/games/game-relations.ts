import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

import { DEPENDENCY_KINDS } from '../../../domain/listings/listing.ts'
import { users } from '../accounts.ts'
import { belongsTo } from '../columns.ts'
import { games, gameUid } from './games.ts'

export const gameDependencies = pgTable(
  'game_dependencies',
  {
    gameUid: gameUid(),
    kind: text('kind', { enum: DEPENDENCY_KINDS }).notNull(),
    targetUid: belongsTo('target_uid', () => games.uid),
    position: integer('position').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gameUid, table.kind, table.targetUid] }),
    index('game_dependencies_target').on(table.targetUid),
  ],
)

export const gameSimilarTitles = pgTable(
  'game_similar_titles',
  {
    gameUid: gameUid(),
    similarUid: belongsTo('similar_uid', () => games.uid),
    position: integer('position').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gameUid, table.similarUid] }),
    index('game_similar_titles_similar').on(table.similarUid),
  ],
)

/** One player's vote for one tag of one game. */
export const tagSuggestions = pgTable(
  'tag_suggestions',
  {
    gameUid: gameUid(),
    userUid: belongsTo('user_uid', () => users.id),
    tag: text('tag').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gameUid, table.tag, table.userUid] }),
    index('tag_suggestions_user').on(table.userUid, table.gameUid),
  ],
)

/** Suggested tags that the developer removed from the page; the votes remain. */
export const hiddenTags = pgTable(
  'hidden_tags',
  { gameUid: gameUid(), tag: text('tag').notNull() },
  (table) => [primaryKey({ columns: [table.gameUid, table.tag] })],
)

/** The number of public, non-adult listings whose developer set the tag; updated by triggers on `games`. */
export const tagCounts = pgTable(
  'tag_counts',
  { tag: text('tag').primaryKey(), count: integer('count').notNull() },
  (table) => [
    index('tag_counts_popular').on(table.count.desc(), table.tag),
    index('tag_counts_prefix').on(sql`${table.tag} text_pattern_ops`),
  ],
)
