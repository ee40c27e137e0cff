import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'

import { OPERATING_SYSTEMS } from '../../domain/builds/platforms.ts'
import {
  DIGEST_RHYTHMS,
  type MailChoice,
  NOTICE_KINDS,
  type NoticeFacts,
  type NoticeKind,
} from '../../domain/notices.ts'
import { users } from './accounts.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { games } from './games/games.ts'
import { jams } from './jams.ts'
import { posts } from './posts.ts'

const userUid = () => uuid('user_uid').references(() => users.id, { onDelete: 'cascade' })

/**
 * What happened that people are told about, written once however many follow. Notices are read from it, joined with
 * what one follows.
 */
export const noticeEvents = pgTable(
  'notice_events',
  {
    uid: uid(),
    kind: text('kind', { enum: NOTICE_KINDS }).notNull(),
    gameUid: uuid('game_uid').references(() => games.uid, { onDelete: 'cascade' }),
    /** The owner of the listing when it happened. */
    developerUid: uuid('developer_uid').references(() => users.id, { onDelete: 'cascade' }),
    postUid: uuid('post_uid').references(() => posts.uid, { onDelete: 'cascade' }),
    /** Of jams: it concerns all who joined. */
    jamUid: uuid('jam_uid').references(() => jams.uid, { onDelete: 'cascade' }),
    /** The only person it concerns; null: all who follow. */
    userUid: userUid(),
    /** Of releases: the systems of the build. */
    platforms: text('platforms', { enum: OPERATING_SYSTEMS })
      .array()
      .notNull()
      .default(sql`'{}'`),
    facts: jsonb('facts').$type<NoticeFacts>().notNull(),
    /** Recording the same event again does nothing. */
    onceKey: text('once_key'),
    /** By the clock of the database, when it was recorded. */
    at: moment('at')
      .notNull()
      .default(sql`clock_timestamp()`),
    /** When the burst began that it belongs to: what happens to one listing within a minute. */
    burstAt: moment('burst_at')
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [
    index('notice_events_game').on(table.gameUid),
    index('notice_events_followers')
      .on(table.gameUid, table.at, table.uid)
      .where(sql`user_uid is null`),
    index('notice_events_developer')
      .on(table.developerUid, table.at, table.uid)
      .where(sql`user_uid is null`),
    index('notice_events_user')
      .on(table.userUid, table.at, table.uid)
      .where(sql`user_uid is not null`),
    index('notice_events_post').on(table.postUid),
    index('notice_events_jam')
      .on(table.jamUid, table.at, table.uid)
      .where(sql`jam_uid is not null`),
    index('notice_events_at').on(table.at, table.uid),
    uniqueIndex('notice_events_once').on(table.onceKey),
  ],
)

/** How a person is told, and up to when all was read or mailed. Without a row: the defaults. */
export const noticeSettings = pgTable(
  'notice_settings',
  {
    userUid: userUid().primaryKey(),
    /** Kinds that differ from the default. */
    kinds: jsonb('kinds').$type<Partial<Record<NoticeKind, MailChoice>>>().notNull().default({}),
    digest: text('digest', { enum: DIGEST_RHYTHMS }).notNull().default('weekly'),
    /** Of the day in the person's time zone. */
    hour: integer('hour').notNull().default(18),
    timeZone: text('time_zone').notNull().default('UTC'),
    /** Everything up to then has been read. */
    readUntil: moment('read_until'),
    /** When the next digest is due; null: never. */
    nextDigestAt: moment('next_digest_at'),
    /** What happened up to then stood in an earlier digest. */
    digestUntil: moment('digest_until'),
    bounces: integer('bounces').notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    index('notice_settings_due')
      .on(table.nextDigestAt)
      .where(sql`next_digest_at is not null`),
    // Few people want anything at once.
    index('notice_settings_at_once')
      .on(table.userUid)
      .where(sql`kinds::text like '%at_once%'`),
  ],
)

/** Notices that were read one by one, after `read_until`. */
export const noticeReads = pgTable(
  'notice_reads',
  {
    userUid: userUid().notNull(),
    eventUid: belongsTo('event_uid', () => noticeEvents.uid),
  },
  (table) => [
    primaryKey({ columns: [table.userUid, table.eventUid] }),
    index('notice_reads_event').on(table.eventUid),
  ],
)

/** Mails about notices: each is sent at most once, also if the process that sends it is killed. */
export const noticeMails = pgTable(
  'notice_mails',
  {
    uid: uid(),
    userUid: userUid().notNull(),
    /** The event of a mail that is sent at once; null: a digest. */
    eventUid: uuid('event_uid').references(() => noticeEvents.uid, { onDelete: 'set null' }),
    /** Of digests: which events, by when they were recorded. */
    from: moment('events_from'),
    until: moment('events_until'),
    createdAt: createdAt(),
    /** Set before it is handed to the mail server. */
    startedAt: moment('started_at'),
    sentAt: moment('sent_at'),
  },
  (table) => [
    uniqueIndex('notice_mails_event').on(table.userUid, table.eventUid),
    index('notice_mails_user').on(table.userUid, table.createdAt),
    index('notice_mails_created').on(table.createdAt),
  ],
)
