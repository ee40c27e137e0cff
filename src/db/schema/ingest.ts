import { sql } from 'drizzle-orm'
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { HEALTH_BANDS } from '../../domain/health-bands.ts'
import { users } from './accounts.ts'
import { buildUid } from './builds.ts'
import { moment } from './columns.ts'
import { gameUid } from './games.ts'

// The raw events are in a table of a Postgres schema of its own, partitioned by day: see drizzle/0004_ingest.sql.

/** Every device that was heard from, per build. */
export const launchDevices = pgTable(
  'launch_devices',
  {
    buildUid: buildUid(),
    deviceId: text('device_id').notNull(),
    /** Its first boot_ok. */
    bootAt: moment('boot_at'),
    /** The network it was first seen in, as a keyed hash; null if that was not recorded. */
    network: bigint('network', { mode: 'bigint' }),
  },
  (table) => [
    primaryKey({ columns: [table.buildUid, table.deviceId] }),
    index('launch_devices_network').on(table.buildUid, table.network),
  ],
)

/** What is known of a session while more may come. Later only those that crashed before their boot_ok stay. */
export const launchSessions = pgTable(
  'launch_sessions',
  {
    buildUid: buildUid(),
    deviceId: text('device_id').notNull(),
    sessionId: text('session_id').notNull(),
    bootAt: moment('boot_at'),
    crashAt: moment('crash_at'),
    /** The first and the last of session_start, heartbeat and session_end. */
    firstAt: moment('first_at'),
    lastAt: moment('last_at'),
    /** By our own clock. */
    heardAt: moment('heard_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.buildUid, table.deviceId, table.sessionId] }),
    index('launch_sessions_crashed')
      .on(table.buildUid, table.deviceId)
      .where(sql`crash_at is not null`),
  ],
)

/** How many sessions that are over lasted how long. */
export const sessionLengths = pgTable(
  'session_lengths',
  {
    buildUid: buildUid(),
    seconds: integer('seconds').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.buildUid, table.seconds] })],
)

/** Launch health as it was judged last. */
export const buildHealth = pgTable('build_health', {
  buildUid: buildUid().primaryKey(),
  band: text('band', { enum: HEALTH_BANDS }).notNull(),
  devices: integer('devices').notNull(),
  bootOk: integer('boot_ok').notNull(),
  crashed: integer('crashed').notNull(),
  /** Those with boot_ok, each network counted up to its share. */
  sharedBootOk: integer('shared_boot_ok').notNull().default(0),
  medianSessionS: integer('median_session_s'),
  judgedAt: moment('judged_at').notNull(),
})

/** The first boot_ok of any build of a listing; stays when the build is deleted. */
export const gameBoots = pgTable('game_boots', {
  gameUid: gameUid().primaryKey(),
  firstAt: moment('first_at').notNull(),
})

/** One running copy of a game, as its heartbeats tell. */
export interface PlaySession {
  id: string
  /** The time its last heartbeat gave. */
  lastAt: number
  /** When that came in, by our own clock. */
  heardAt: number
}

/** What crediting the next heartbeats of a player needs to know. Times are in milliseconds. */
export const playClocks = pgTable(
  'play_clocks',
  {
    userUid: uuid('user_uid')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    gameUid: gameUid(),
    /** Up to here our own clock has been used up. */
    creditedAt: bigint('credited_at', { mode: 'number' }).notNull().default(0),
    /** Credited, but not yet a whole second. */
    restMs: integer('rest_ms').notNull().default(0),
    sessions: jsonb('sessions').$type<PlaySession[]>().notNull().default([]),
  },
  (table) => [
    primaryKey({ columns: [table.userUid, table.gameUid] }),
    index('play_clocks_game').on(table.gameUid),
  ],
)
