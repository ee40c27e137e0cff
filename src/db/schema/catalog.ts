import { bigint, boolean, date, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { DOWNLOAD_SOURCES } from '../../domain/builds/files.ts'
import { SHELF_KINDS } from '../../domain/listings/shelves.ts'
import { createdAt, moment, uid } from './columns.ts'

/** Selections of listings that operators put together. */
export const collections = pgTable('collections', {
  uid: uid(),
  slug: text('slug').notNull().unique(),
  title: text('title').notNull(),
  text: text('text').notNull().default(''),
  /** In display order. Hidden and deleted listings stay here, so they reappear when their page does. */
  gameUids: uuid('game_uids').array().notNull(),
  onHome: boolean('on_home').notNull().default(false),
  /** Null: at once. */
  from: moment('shown_from'),
  /** Null: until it is deleted. */
  until: moment('shown_until'),
  createdAt: createdAt(),
})

/** The current games of each shelf, in order; rebuilt every minute. */
export const shelves = pgTable(
  'shelves',
  {
    kind: text('kind', { enum: SHELF_KINDS }).notNull(),
    /** An operating system, or `any`. */
    os: text('os').notNull(),
    date: date('date').notNull(),
    gameUids: uuid('game_uids').array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.os] })],
)

/** Every attempt, including refused ones. Without foreign keys: one deleted game must not fail a batch. */
export const downloadEvents = pgTable(
  'download_events',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: moment('at').notNull(),
    gameUid: uuid('game_uid'),
    fileUid: uuid('file_uid'),
    source: text('source', { enum: DOWNLOAD_SOURCES }).notNull(),
    /** The user agent's family. */
    client: text('client').notNull(),
    country: text('country'),
    /** 200, or the status code of the refusal. */
    outcome: integer('outcome').notNull(),
  },
  (table) => [
    index('download_events_game').on(table.gameUid, table.at),
    index('download_events_at').on(table.at),
  ],
)
