import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

import type { ChangelogItem } from '../../domain/builds/build-fields.ts'
import { CHANNEL_MOVES } from '../../domain/builds/channels.ts'
import { SCAN_STATES, UPLOAD_SOURCES } from '../../domain/builds/files.ts'
import type { Launch } from '../../domain/builds/launch.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../domain/builds/platforms.ts'
import type { BuildOrigin } from '../../domain/builds/publishers.ts'
import type { SaveFiles } from '../../domain/builds/save-files.ts'
import { LAYOUT_FAULTS } from '../../domain/listings/package-layout.ts'
import { belongsTo, bytes, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** The programs of a game: the game itself, a dedicated server, an editor. */
export const apps = pgTable(
  'apps',
  {
    uid: uid(),
    gameUid: gameUid(),
    slug: text('slug').notNull(),
    name: text('name').notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('apps_game_slug').on(table.gameUid, table.slug)],
)

/** The platform a build runs on. */
const platformColumns = () => ({
  os: text('os', { enum: OPERATING_SYSTEMS }).notNull(),
  arch: text('arch', { enum: ARCHITECTURES }).notNull(),
})

export const builds = pgTable(
  'builds',
  {
    uid: uid(),
    gameUid: gameUid(),
    appUid: appUid(),
    version: text('version').notNull(),
    buildType: text('build_type').notNull(),
    ...platformColumns(),
    channel: text('channel').notNull(),
    title: text('title').notNull().default(''),
    description: text('description').notNull().default(''),
    engineVersion: text('engine_version'),
    changelogItems: jsonb('changelog_items').$type<ChangelogItem[]>().notNull().default([]),
    /** Null where the developer did not say. */
    launch: jsonb('launch').$type<Launch>(),
    saves: jsonb('saves').$type<SaveFiles>(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('builds_identity').on(
      table.appUid,
      table.version,
      table.buildType,
      table.os,
      table.arch,
      table.channel,
    ),
    index('builds_game').on(table.gameUid, table.uid),
  ],
)

export const files = pgTable(
  'files',
  {
    uid: uid(),
    gameUid: gameUid(),
    buildUid: buildUid(),
    filename: text('filename').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** SHA-256 of the zip, in lowercase hex without a prefix. */
    checksum: text('checksum').notNull(),
    objectKey: text('object_key').notNull(),
    scan: text('scan', { enum: SCAN_STATES }).notNull().default('scanning'),
    scanEngine: text('scan_engine'),
    scanDetail: text('scan_detail'),
    /** What older editors would drop from the zip of a package. */
    layoutFaults: text('layout_faults', { enum: LAYOUT_FAULTS })
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** The page a browser opens first, as its path in the zip; null where it has none. */
    entryPage: text('entry_page'),
    source: text('source', { enum: UPLOAD_SOURCES }).notNull(),
    /** The last four characters of the deploy key's access token. */
    keyLast4: text('key_last4'),
    /** What the pipeline of a trusted publisher proved about itself. */
    origin: jsonb('origin').$type<BuildOrigin>(),
    /** The only channels that its deploy key may change; null for all. */
    keyChannels: text('key_channels').array(),
    uploadedAt: moment('uploaded_at').notNull().defaultNow(),
    scannedAt: moment('scanned_at'),
  },
  (table) => [
    index('files_build').on(table.buildUid),
    index('files_game').on(table.gameUid, table.uid),
    index('files_object').on(table.objectKey),
    index('files_checksum').on(table.checksum),
  ],
)

/** Every state a file's scan has been in. */
export const scanEvents = pgTable(
  'scan_events',
  {
    uid: uid(),
    fileUid: fileUid(),
    state: text('state', { enum: SCAN_STATES }).notNull(),
    engine: text('engine'),
    detail: text('detail'),
    createdAt: createdAt(),
  },
  (table) => [index('scan_events_file').on(table.fileUid, table.uid)],
)

/** The contents of a clean file's zip. */
export const fileEntries = pgTable(
  'file_entries',
  {
    fileUid: fileUid(),
    path: text('path').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    sha256: text('sha256').notNull(),
    /** The bytes of the entry in the zip, header included; null for files scanned before this was recorded. */
    at: bigint('at', { mode: 'number' }),
    length: bigint('length', { mode: 'number' }),
    /** How its packed bytes lie in the zip; null for files scanned before this was recorded. 0: stored, 8: deflated. */
    method: smallint('method'),
    crc32: bigint('crc32', { mode: 'number' }),
    packed: bigint('packed', { mode: 'number' }),
    dataAt: bigint('data_at', { mode: 'number' }),
    /** Type and permissions as on Unix; null where the zip does not tell. */
    mode: integer('mode'),
  },
  (table) => [
    primaryKey({ columns: [table.fileUid, table.path] }),
    // Only files of at least this size are compared with asset packs.
    index('file_entries_sha256')
      .on(table.sha256)
      .where(sql`size >= 1024`),
  ],
)

/** The contents of a clean file's zip in the form that is sent to clients which fetch parts of it. */
export const fileContents = pgTable('file_contents', {
  fileUid: fileUid().primaryKey(),
  /** The size of all files when unpacked. */
  installedSize: bigint('installed_size', { mode: 'number' }).notNull(),
  /** Whether entries have parts that can be unpacked on their own. */
  hasBlocks: boolean('has_blocks').notNull(),
  /** Compressed, in the format of `lib/zip/contents.ts`; null where it would be too large. */
  document: bytes('document'),
})

/** Breakpad symbols, used to symbolicate crash stacks. */
export const symbols = pgTable(
  'symbols',
  {
    uid: uid(),
    gameUid: gameUid(),
    buildUid: buildUid(),
    module: text('module').notNull(),
    debugId: text('debug_id').notNull(),
    filename: text('filename').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    objectKey: text('object_key').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('symbols_module').on(table.buildUid, table.module, table.debugId),
    index('symbols_game').on(table.gameUid, table.uid),
    index('symbols_object').on(table.objectKey),
  ],
)

function appUid() {
  return belongsTo('app_uid', () => apps.uid)
}

export function buildUid() {
  return belongsTo('build_uid', () => builds.uid)
}

function fileUid() {
  return belongsTo('file_uid', () => files.uid)
}

/** Every move of every channel. A rollback continues from the parent of the move it undoes. */
export const channelMoves = pgTable(
  'channel_moves',
  {
    uid: uid(),
    gameUid: gameUid(),
    appUid: appUid(),
    channel: text('channel').notNull(),
    ...platformColumns(),
    kind: text('kind', { enum: CHANNEL_MOVES }).notNull(),
    fromBuildUid: uuid('from_build_uid').references(() => builds.uid, { onDelete: 'set null' }),
    fromVersion: text('from_version'),
    /** Null once the build is deleted: a rollback then continues with the move before. */
    toBuildUid: uuid('to_build_uid').references(() => builds.uid, { onDelete: 'set null' }),
    toVersion: text('to_version').notNull(),
    parentUid: uuid('parent_uid').references((): AnyPgColumn => channelMoves.uid),
    /** A username, `<program> for <username>`, `deploy key …abcd`, or `Playshelf` for automatic moves. */
    movedBy: text('moved_by').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('channel_moves_channel').on(table.appUid, table.channel, table.uid),
    index('channel_moves_game').on(table.gameUid, table.uid),
    index('channel_moves_to').on(table.toBuildUid),
    index('channel_moves_from').on(table.fromBuildUid),
    index('channel_moves_parent').on(table.parentUid),
  ],
)

/** The current build of each channel, per platform. */
export const channelPointers = pgTable(
  'channel_pointers',
  {
    gameUid: gameUid(),
    appUid: appUid(),
    channel: text('channel').notNull(),
    ...platformColumns(),
    buildUid: buildUid(),
    moveUid: uuid('move_uid')
      .notNull()
      .references(() => channelMoves.uid),
    movedAt: moment('moved_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.appUid, table.channel, table.os, table.arch] }),
    index('channel_pointers_game').on(table.gameUid, table.channel),
    index('channel_pointers_build').on(table.buildUid),
    index('channel_pointers_move').on(table.moveUid),
  ],
)

/** Ed25519 keys that sign statements about files. The newest signs; all of them stay published. */
export const statementKeys = pgTable('statement_keys', {
  /** SHA-256 of the public key, in hex. */
  id: text('id').primaryKey(),
  /** The 32 bytes in base64url, as `x` of a JWK. */
  publicKey: text('public_key').notNull(),
  /** PKCS #8 in base64, encrypted. */
  privateKey: text('private_key').notNull(),
  createdAt: createdAt(),
})

/** Signed statements about clean files, one of each kind. */
export const attestations = pgTable(
  'attestations',
  {
    fileUid: belongsTo('file_uid', () => files.uid),
    predicateType: text('predicate_type').notNull(),
    /** The DSSE envelope, exactly as it is served. */
    envelope: text('envelope').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.fileUid, table.predicateType] })],
)
