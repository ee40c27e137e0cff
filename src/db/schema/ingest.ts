import { sql } from 'drizzle-orm'
import { bigint, date, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { HEALTH_BANDS } from '../../domain/builds/health-bands.ts'
import { users } from './accounts.ts'
import { buildUid } from './builds.ts'
import { moment } from './columns.ts'
import { gameUid } from './games/games.ts'

// Raw events are in a separate Postgres schema, partitioned by day: see drizzle/0004_ingest.sql.

const amount = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0)

/** What a game has sent on a day: a row per network, and one for the whole game, with the number 0. */
export const ingestQuotas = pgTable(
  'ingest_quotas',
  {
    gameUid: gameUid(),
    day: date('day').notNull(),
    /** A keyed hash. */
    network: bigint('network', { mode: 'bigint' }).notNull(),
    events: amount('events'),
    bytes: amount('bytes'),
    /** Events beyond the quota of the game, and beyond those of networks; counted for the whole game only. */
    refusedOfGame: amount('refused_of_game'),
    refusedOfNetworks: amount('refused_of_networks'),
  },
  (table) => [
    primaryKey({ columns: [table.gameUid, table.day, table.network] }),
    index('ingest_quotas_day').on(table.day),
  ],
)

/** Every device that sent an event, per build. */
export const launchDevices = pgTable(
  'launch_devices',
  {
    buildUid: buildUid(),
    deviceId: text('device_id').notNull(),
    /** When it first sent boot_ok. */
    bootAt: moment('boot_at'),
    /** The network it was first seen in, as a keyed hash; null if not recorded. */
    network: bigint('network', { mode: 'bigint' }),
    /** When it was first heard from, by the server's clock. */
    heardAt: moment('heard_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.buildUid, table.deviceId] }),
    index('launch_devices_network').on(table.buildUid, table.network),
  ],
)

/** Sessions that may still send events. Of older ones only those that crashed before boot_ok remain. */
export const launchSessions = pgTable(
  'launch_sessions',
  {
    buildUid: buildUid(),
    deviceId: text('device_id').notNull(),
    sessionId: text('session_id').notNull(),
    bootAt: moment('boot_at'),
    crashAt: moment('crash_at'),
    /** Times of the first and last session_start, heartbeat or session_end. */
    firstAt: moment('first_at'),
    lastAt: moment('last_at'),
    /** By the server's clock. */
    heardAt: moment('heard_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.buildUid, table.deviceId, table.sessionId] }),
    index('launch_sessions_crashed')
      .on(table.buildUid, table.deviceId)
      .where(sql`crash_at is not null`),
  ],
)

/** A histogram of the lengths of ended sessions. */
export const sessionLengths = pgTable(
  'session_lengths',
  {
    buildUid: buildUid(),
    seconds: integer('seconds').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.buildUid, table.seconds] })],
)

/** The latest evaluation of a build's launch health. */
export const buildHealth = pgTable('build_health', {
  buildUid: buildUid().primaryKey(),
  band: text('band', { enum: HEALTH_BANDS }).notNull(),
  /** The devices that count, from which the band follows. */
  devices: integer('devices').notNull(),
  bootOk: integer('boot_ok').notNull(),
  crashed: integer('crashed').notNull(),
  /** Devices of networks that count only in part; null until it is rated again after an upgrade. */
  leftOut: integer('left_out'),
  /** Devices with boot_ok, each network capped at its share of the shelves. */
  sharedBootOk: integer('shared_boot_ok').notNull().default(0),
  medianSessionS: integer('median_session_s'),
  judgedAt: moment('judged_at').notNull(),
})

/** The first boot_ok of any build of a game; remains after the build is deleted. */
export const gameBoots = pgTable('game_boots', {
  gameUid: gameUid().primaryKey(),
  firstAt: moment('first_at').notNull(),
})

/** One running copy of a game, as reported by its heartbeats. */
export interface PlaySession {
  id: string
  /** The time its last heartbeat reported. */
  lastAt: number
  /** When that heartbeat arrived, by the server's clock. */
  heardAt: number
}

/** The state needed to credit a player's next heartbeats. Times are in milliseconds. */
export const playClocks = pgTable(
  'play_clocks',
  {
    userUid: uuid('user_uid')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    gameUid: gameUid(),
    /** The time on the server's clock up to which play time was credited. */
    creditedAt: bigint('credited_at', { mode: 'number' }).notNull().default(0),
    /** Credited time that does not yet make a whole second. */
    restMs: integer('rest_ms').notNull().default(0),
    sessions: jsonb('sessions').$type<PlaySession[]>().notNull().default([]),
  },
  (table) => [
    primaryKey({ columns: [table.userUid, table.gameUid] }),
    index('play_clocks_game').on(table.gameUid),
  ],
)
