import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

import { type CrashFrame, HEALTH_BANDS, type StackFrame } from '../../domain/builds/health.ts'
import { users } from './accounts.ts'
import { builds, buildUid } from './builds.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

// Raw events are in a separate Postgres schema, partitioned by day: see drizzle/0004_ingest.sql.

const amount = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0)

/** What a game sent on one day: a row per network, and one with network 0 for the whole game. */
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
  /** The number of devices that count for the band. */
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
interface PlaySession {
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
    userUid: belongsTo('user_uid', () => users.id),
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

/** Crashes with the same cause. Its counts remain after the reports are deleted. */
export const crashGroups = pgTable(
  'crash_groups',
  {
    uid: uid(),
    gameUid: gameUid(),
    signature: text('signature').notNull(),
    reason: text('reason').notNull(),
    count: integer('count').notNull().default(0),
    devices: integer('devices').notNull().default(0),
    firstAt: moment('first_at').notNull(),
    lastAt: moment('last_at').notNull(),
    /** The newest build it was seen in; the stack below is from that build. */
    buildUid: uuid('build_uid').references(() => builds.uid, { onDelete: 'set null' }),
    frames: jsonb('frames').$type<CrashFrame[]>().notNull(),
    /** The same stack with symbols resolved; null until that was tried. */
    stack: jsonb('stack').$type<StackFrame[]>(),
    symbolicatedAt: moment('symbolicated_at'),
  },
  (table) => [
    uniqueIndex('crash_groups_signature').on(table.gameUid, table.signature),
    index('crash_groups_game').on(table.gameUid, table.lastAt, table.uid),
    index('crash_groups_build').on(table.buildUid),
  ],
)

export const crashDevices = pgTable(
  'crash_devices',
  { groupUid: groupUid(), deviceId: text('device_id').notNull() },
  (table) => [primaryKey({ columns: [table.groupUid, table.deviceId] })],
)

/** Stores the version's name, which remains after the build is deleted. */
export const crashVersions = pgTable(
  'crash_versions',
  { groupUid: groupUid(), version: text('version').notNull() },
  (table) => [primaryKey({ columns: [table.groupUid, table.version] })],
)

/** The raw reports, only the newest of each group. */
export const crashes = pgTable(
  'crashes',
  {
    uid: uid(),
    groupUid: groupUid(),
    buildUid: buildUid(),
    /** Hash that identifies a report, to detect one that is sent twice. */
    sentKey: text('sent_key').notNull(),
    deviceId: text('device_id').notNull(),
    sessionId: text('session_id').notNull(),
    at: moment('at').notNull(),
    beforeBoot: boolean('before_boot').notNull(),
    reason: text('reason').notNull(),
    frames: jsonb('frames').$type<CrashFrame[]>().notNull(),
    clientVersion: text('client_version'),
    os: text('os'),
    arch: text('arch'),
    log: text('log'),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('crashes_sent_key').on(table.sentKey),
    index('crashes_group').on(table.groupUid, table.uid),
    index('crashes_build').on(table.buildUid),
  ],
)

/** How much of a game's daily quota its reports have used: a row per network, and one for the whole game. */
export const crashQuotas = pgTable(
  'crash_quotas',
  {
    gameUid: gameUid(),
    day: date('day').notNull(),
    network: bigint('network', { mode: 'bigint' }).notNull(),
    /** New crash groups. */
    kinds: integer('kinds').notNull().default(0),
    logs: integer('logs').notNull().default(0),
    /** Size of logs and stacks. */
    bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.gameUid, table.day, table.network] }),
    index('crash_quotas_day').on(table.day),
  ],
)

function groupUid() {
  return belongsTo('group_uid', () => crashGroups.uid)
}
