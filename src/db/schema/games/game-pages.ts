import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

import type { ChangelogItem } from '../../../domain/builds/build-fields.ts'
import { HISTORY_KINDS } from '../../../domain/history.ts'
import { STORED_IMAGE_KINDS } from '../../../domain/listings/listing.ts'
import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import { VIDEO_KINDS, VIDEO_PROVIDERS, type VideoType } from '../../../domain/listings/videos.ts'
import { users } from '../accounts.ts'
import { belongsTo, createdAt, moment, uid } from '../columns.ts'
import { gameUid } from './games.ts'

export const editions = pgTable(
  'editions',
  {
    uid: uid(),
    gameUid: gameUid(),
    name: text('name').notNull(),
    priceCents: integer('price_cents').notNull(),
    active: boolean('active').notNull().default(true),
    createdAt: createdAt(),
  },
  (table) => [index('editions_game').on(table.gameUid)],
)

export const changelogEntries = pgTable(
  'changelog_entries',
  {
    uid: uid(),
    gameUid: gameUid(),
    title: text('title').notNull(),
    body: text('body').notNull(),
    version: text('version'),
    items: jsonb('items').$type<ChangelogItem[]>().notNull().default([]),
    createdAt: createdAt(),
  },
  (table) => [index('changelog_entries_game').on(table.gameUid, table.uid)],
)

/**
 * The versions whose builds have written a changelog entry: each does so once, on whatever platforms it is released.
 * Stays when the entry is edited or deleted.
 */
export const releaseNotes = pgTable(
  'release_notes',
  {
    gameUid: gameUid(),
    version: text('version').notNull(),
    entryUid: uuid('entry_uid').references(() => changelogEntries.uid, { onDelete: 'set null' }),
  },
  (table) => [
    primaryKey({ columns: [table.gameUid, table.version] }),
    index('release_notes_entry').on(table.entryUid),
  ],
)

/** An image of a listing. Identical images share one object, because its key is derived from the bytes. */
export const images = pgTable(
  'images',
  {
    uid: uid(),
    gameUid: gameUid(),
    kind: text('kind', { enum: STORED_IMAGE_KINDS }).notNull(),
    objectKey: text('object_key').notNull(),
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    size: integer('size').notNull(),
    /** Order in the gallery. */
    position: integer('position').notNull().default(0),
    /** Of covers: the colour that carries the picture, as #rrggbb. Null for grey ones and those of older versions. */
    accent: text('accent'),
    createdAt: createdAt(),
  },
  (table) => [index('images_game').on(table.gameUid, table.kind), index('images_object').on(table.objectKey)],
)

/** A video of a listing: a file of its own object, or a link. */
export const videos = pgTable(
  'videos',
  {
    uid: uid(),
    gameUid: gameUid(),
    kind: text('kind', { enum: VIDEO_KINDS }).notNull(),
    /** Of links. */
    url: text('url'),
    provider: text('provider', { enum: VIDEO_PROVIDERS }),
    /** Of files. */
    objectKey: text('object_key').unique(),
    contentType: text('content_type').$type<VideoType>(),
    width: integer('width'),
    height: integer('height'),
    durationMs: integer('duration_ms'),
    /** Bytes; 0 for links. */
    size: integer('size').notNull().default(0),
    posterUid: uuid('poster_uid').references(() => images.uid, { onDelete: 'set null' }),
    /** Order in the media of the page. */
    position: integer('position').notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [index('videos_game').on(table.gameUid), index('videos_poster').on(table.posterUid)],
)

export const pressKits = pgTable('press_kits', {
  gameUid: gameUid().primaryKey(),
  kit: jsonb('kit').$type<PressKitValue>().notNull(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
})

/** Admins of a game; pending invitations until `accepted_at` is set. */
export const gameAdmins = pgTable(
  'game_admins',
  {
    uid: uid(),
    gameUid: gameUid(),
    userUid: belongsTo('user_uid', () => users.id),
    createdAt: createdAt(),
    acceptedAt: moment('accepted_at'),
  },
  (table) => [
    uniqueIndex('game_admins_game_user').on(table.gameUid, table.userUid),
    index('game_admins_user').on(table.userUid),
  ],
)

/** Changes that leave no other trace, and who made them. Moves of channels have their own table. */
export const gameHistory = pgTable(
  'game_history',
  {
    uid: uid(),
    gameUid: gameUid(),
    kind: text('kind', { enum: HISTORY_KINDS }).notNull(),
    /** What was changed, in words: it may no longer exist. */
    subject: text('subject').notNull(),
    /** A username, or `<program> for <username>`. */
    changedBy: text('changed_by').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('game_history_game').on(table.gameUid, table.uid)],
)
