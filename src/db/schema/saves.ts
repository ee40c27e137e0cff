import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

import { users } from './accounts.ts'
import { builds } from './builds.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** What one player keeps of one game. Whoever changes its saves locks this row first. */
export const saveSets = pgTable(
  'save_sets',
  {
    uid: uid(),
    userUid: belongsTo('user_uid', () => users.id),
    /** Not a reference: saves outlive the listing, because they belong to the player. */
    gameUid: uuid('game_uid').notNull(),
    /** The game's name at the last change, shown when the listing is gone. */
    gameName: text('game_name').notNull(),
    /** Whether the game may use the saves when it is played in the browser; null: the player was not asked. */
    webAllowed: boolean('web_allowed'),
    /** When the clean-up looks at it next; null: there is nothing that gets old. */
    thinAt: moment('thin_at'),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('save_sets_player').on(table.userUid, table.gameUid),
    index('save_sets_game').on(table.gameUid),
    index('save_sets_thin').on(table.thinAt),
  ],
)

const setUid = () => belongsTo('set_uid', () => saveSets.uid)

/** Bytes that revisions of one set share. Each has an object of its own, whose key is never used again. */
export const saveContents = pgTable(
  'save_contents',
  {
    uid: uid(),
    setUid: setUid(),
    sha256: text('sha256').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    objectKey: text('object_key').notNull().unique(),
  },
  (table) => [uniqueIndex('save_contents_bytes').on(table.setUid, table.sha256)],
)

export const saveSlots = pgTable(
  'save_slots',
  {
    uid: uid(),
    setUid: setUid(),
    name: text('name').notNull(),
    /** The current revision; null while only refused ones were kept. Not a reference, which would be a circle. */
    headUid: uuid('head_uid'),
    /** When it was put into the bin. */
    deletedAt: moment('deleted_at'),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('save_slots_name').on(table.setUid, table.name)],
)

export const saveRevisions = pgTable(
  'save_revisions',
  {
    /** Also the ETag. */
    uid: uid(),
    slotUid: belongsTo('slot_uid', () => saveSlots.uid),
    contentUid: uuid('content_uid')
      .notNull()
      .references(() => saveContents.uid),
    device: text('device'),
    note: text('note'),
    /** How long the player had played when it was written. */
    playMinutes: integer('play_minutes').notNull().default(0),
    /** Somebody was faster: it never was the current one. */
    refused: boolean('refused').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    index('save_revisions_slot').on(table.slotUid, table.createdAt, table.uid),
    index('save_revisions_content').on(table.contentUid),
  ],
)

/** How often writes of a game did not become the current save, for its developer. */
export const saveFaults = pgTable(
  'save_faults',
  {
    uid: uid(),
    gameUid: gameUid(),
    /** Null: the game did not say which build it is. */
    buildUid: uuid('build_uid').references(() => builds.uid, { onDelete: 'cascade' }),
    conflicts: integer('conflicts').notNull().default(0),
    failures: integer('failures').notNull().default(0),
  },
  (table) => [
    unique('save_faults_build').on(table.gameUid, table.buildUid).nullsNotDistinct(),
    index('save_faults_of_build')
      .on(table.buildUid)
      .where(sql`build_uid is not null`),
  ],
)
