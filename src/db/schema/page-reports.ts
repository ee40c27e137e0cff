import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { REPORT_REASONS, REPORT_STATES } from '../../domain/reports.ts'
import { users } from './accounts.ts'
import { createdAt, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** Reports about a listing that readers sent to the operators. */
export const pageReports = pgTable(
  'page_reports',
  {
    uid: uid(),
    gameUid: gameUid(),
    userUid: uuid('user_uid')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    reason: text('reason', { enum: REPORT_REASONS }).notNull(),
    text: text('text').notNull(),
    state: text('state', { enum: REPORT_STATES }).notNull().default('open'),
    createdAt: createdAt(),
  },
  (table) => [
    index('page_reports_game').on(table.gameUid),
    index('page_reports_user').on(table.userUid),
    index('page_reports_created').on(table.state, table.createdAt, table.uid),
  ],
)
