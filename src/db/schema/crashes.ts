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

import type { CrashFrame, StackFrame } from '../../domain/builds/crash-frames.ts'
import { builds, buildUid } from './builds.ts'
import { createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

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
  return uuid('group_uid')
    .notNull()
    .references(() => crashGroups.uid, { onDelete: 'cascade' })
}
