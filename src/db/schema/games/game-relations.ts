import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { DEPENDENCY_KINDS } from '../../../domain/listings/listing.ts'
import { games, gameUid } from './games.ts'

export const gameDependencies = pgTable(
  'game_dependencies',
  {
    gameUid: gameUid(),
    kind: text('kind', { enum: DEPENDENCY_KINDS }).notNull(),
    targetUid: uuid('target_uid')
      .notNull()
      .references(() => games.uid, { onDelete: 'cascade' }),
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
    similarUid: uuid('similar_uid')
      .notNull()
      .references(() => games.uid, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gameUid, table.similarUid] }),
    index('game_similar_titles_similar').on(table.similarUid),
  ],
)
