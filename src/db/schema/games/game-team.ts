import { index, pgTable, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import { users } from '../accounts.ts'
import { createdAt, moment, uid } from '../columns.ts'
import { gameUid } from './games.ts'

/** Admins of a game; pending invitations until `accepted_at` is set. */
export const gameAdmins = pgTable(
  'game_admins',
  {
    uid: uid(),
    gameUid: gameUid(),
    userUid: uuid('user_uid')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    acceptedAt: moment('accepted_at'),
  },
  (table) => [
    uniqueIndex('game_admins_game_user').on(table.gameUid, table.userUid),
    index('game_admins_user').on(table.userUid),
  ],
)
