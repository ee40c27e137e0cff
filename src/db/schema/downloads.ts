import { bigint, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { DOWNLOAD_SOURCES } from '../../domain/builds/files.ts'
import { moment } from './columns.ts'

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
