import { index, pgTable, text } from 'drizzle-orm/pg-core'

import { HISTORY_KINDS } from '../../../domain/history.ts'
import { createdAt, uid } from '../columns.ts'
import { gameUid } from './games.ts'

/** Changes that leave no other trace, and who made them. Moves of channels have their own table. */
export const gameHistory = pgTable(
  'game_history',
  {
    uid: uid(),
    gameUid: gameUid(),
    kind: text('kind', { enum: HISTORY_KINDS }).notNull(),
    /** What was changed, in words: it may no longer exist. */
    subject: text('subject').notNull(),
    /** A username, or `<program> for <username>`. */
    changedBy: text('changed_by').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('game_history_game').on(table.gameUid, table.uid)],
)
