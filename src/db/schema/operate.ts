import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { ACT_SUBJECTS, OPERATOR_ACTS } from '../../domain/operator-acts.ts'
import { REPORT_REASONS, REPORT_STATES } from '../../domain/reports.ts'
import { users } from './accounts.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'
import { posts } from './posts.ts'

/**
 * The audit log. A trigger refuses every change of its rows, so they refer to nothing that can be deleted and hold the
 * names as they were.
 */
export const operatorActs = pgTable(
  'operator_acts',
  {
    uid: uid(),
    /** Null for acts of the command line. */
    operatorUid: uuid('operator_uid'),
    operator: text('operator').notNull(),
    act: text('act', { enum: OPERATOR_ACTS }).notNull(),
    subject: text('subject', { enum: ACT_SUBJECTS }).notNull(),
    /** The uid of the subject, or the id of a job; null for the search index. */
    subjectId: text('subject_id'),
    subjectName: text('subject_name').notNull(),
    reason: text('reason'),
    createdAt: createdAt(),
  },
  (table) => [index('operator_acts_created').on(table.createdAt, table.uid)],
)

/** Accounts whose name looks like a developer's or the store's; one row each, until they have another name. */
export const lookAlikes = pgTable(
  'look_alikes',
  {
    userUid: uuid('user_uid')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** The developer; null: the store itself. */
    otherUid: uuid('other_uid').references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    /** When an operator found nothing wrong with the name. */
    dismissedAt: moment('dismissed_at'),
  },
  (table) => [
    index('look_alikes_other').on(table.otherUid),
    index('look_alikes_open').on(table.dismissedAt, table.createdAt),
  ],
)

/** Reports about a listing that readers sent to the operators. */
export const pageReports = pgTable(
  'page_reports',
  {
    uid: uid(),
    gameUid: gameUid(),
    userUid: belongsTo('user_uid', () => users.id),
    /** The post that it is about; null: the page. */
    postUid: uuid('post_uid').references(() => posts.uid, { onDelete: 'cascade' }),
    reason: text('reason', { enum: REPORT_REASONS }).notNull(),
    text: text('text').notNull(),
    state: text('state', { enum: REPORT_STATES }).notNull().default('open'),
    createdAt: createdAt(),
  },
  (table) => [
    index('page_reports_game').on(table.gameUid),
    index('page_reports_user').on(table.userUid),
    index('page_reports_post').on(table.postUid),
    index('page_reports_created').on(table.state, table.createdAt, table.uid),
  ],
)
