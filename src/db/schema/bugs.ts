import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import { DAILY_CAP_DEFAULT, DELIVERY_STATES, TICKET_SOURCES, TICKET_STATUSES } from '../../domain/bugs.ts'
import { users } from './accounts.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** The bug reporter's settings of a game; a game without a row has the defaults. */
export const bugReporters = pgTable(
  'bug_reporters',
  {
    gameUid: gameUid().primaryKey(),
    enabled: boolean('enabled').notNull().default(false),
    dailyCap: integer('daily_cap').notNull().default(DAILY_CAP_DEFAULT),
    webhookUrls: text('webhook_urls').array().notNull().default([]),
    /** Signs webhooks and screenshot URLs. Encrypted instead of hashed, because owners can view it again. */
    signingKey: text('signing_key'),
  },
  (table) => [
    check(
      'bug_reporters_key',
      sql`${table.signingKey} is not null or (not ${table.enabled} and cardinality(${table.webhookUrls}) = 0)`,
    ),
  ],
)

export const bugTickets = pgTable(
  'bug_tickets',
  {
    uid: uid(),
    gameUid: gameUid(),
    /** The filer: an account, an account of the external store, or both where they are linked. */
    userUid: uuid('user_uid').references(() => users.id, { onDelete: 'set null' }),
    extstoreId: text('extstore_id'),
    source: text('source', { enum: TICKET_SOURCES }).notNull(),
    status: text('status', { enum: TICKET_STATUSES }).notNull().default('open'),
    message: text('message').notNull(),
    clientVersion: text('client_version'),
    os: text('os'),
    arch: text('arch'),
    /** As the game sent it: the build may have been deleted since. */
    buildId: text('build_id'),
    log: text('log'),
    fixedInVersion: text('fixed_in_version'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('bug_tickets_game').on(table.gameUid, table.uid),
    index('bug_tickets_status').on(table.gameUid, table.status, table.uid),
    index('bug_tickets_user').on(table.userUid, table.gameUid, table.createdAt),
    index('bug_tickets_extstore').on(table.extstoreId, table.gameUid, table.createdAt),
  ],
)

export const bugScreenshots = pgTable(
  'bug_screenshots',
  {
    ticketUid: ticketUid().primaryKey(),
    gameUid: gameUid(),
    objectKey: text('object_key').notNull(),
    contentType: text('content_type').notNull(),
    size: integer('size').notNull(),
  },
  (table) => [
    index('bug_screenshots_game').on(table.gameUid),
    uniqueIndex('bug_screenshots_key').on(table.objectKey),
  ],
)

/** What the developer did with a ticket. */
export const bugTicketEvents = pgTable(
  'bug_ticket_events',
  {
    uid: uid(),
    ticketUid: ticketUid(),
    /** A username, or "<program> for <username>". */
    by: text('by').notNull(),
    fromStatus: text('from_status', { enum: TICKET_STATUSES }),
    toStatus: text('to_status', { enum: TICKET_STATUSES }).notNull(),
    fixedInVersion: text('fixed_in_version'),
    note: text('note'),
    createdAt: createdAt(),
  },
  (table) => [index('bug_ticket_events_ticket').on(table.ticketUid, table.uid)],
)

/** Tells the filer that their ticket was fixed. */
export const bugNotices = pgTable(
  'bug_notices',
  {
    uid: uid(),
    ticketUid: ticketUid(),
    fixedInVersion: text('fixed_in_version'),
    fixedAt: moment('fixed_at').notNull().defaultNow(),
    acknowledgedAt: moment('acknowledged_at'),
  },
  (table) => [
    index('bug_notices_ticket').on(table.ticketUid),
    uniqueIndex('bug_notices_unread')
      .on(table.ticketUid)
      .where(sql`${table.acknowledgedAt} is null`),
  ],
)

/** One webhook to one URL. */
export const bugDeliveries = pgTable(
  'bug_deliveries',
  {
    uid: uid(),
    gameUid: gameUid(),
    /** null: a test. */
    ticketUid: uuid('ticket_uid').references(() => bugTickets.uid, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    state: text('state', { enum: DELIVERY_STATES }).notNull().default('pending'),
    /** Since it was created or last redelivered. */
    tries: integer('tries').notNull().default(0),
    /** null once it is no longer pending. */
    nextTryAt: moment('next_try_at'),
    createdAt: createdAt(),
  },
  (table) => [
    index('bug_deliveries_game').on(table.gameUid, table.uid),
    index('bug_deliveries_pending')
      .on(table.gameUid, table.url, table.nextTryAt)
      .where(sql`${table.state} = 'pending'`),
    index('bug_deliveries_created').on(table.createdAt),
    uniqueIndex('bug_deliveries_ticket').on(table.ticketUid, table.url),
  ],
)

export const bugDeliveryAttempts = pgTable(
  'bug_delivery_attempts',
  {
    uid: uid(),
    deliveryUid: belongsTo('delivery_uid', () => bugDeliveries.uid),
    /** null: no answer. */
    status: integer('status'),
    error: text('error'),
    latencyMs: integer('latency_ms').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('bug_delivery_attempts_delivery').on(table.deliveryUid, table.uid)],
)

function ticketUid() {
  return belongsTo('ticket_uid', () => bugTickets.uid)
}
