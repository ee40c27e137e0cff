import { sql } from 'drizzle-orm'
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

import { OPERATING_SYSTEMS } from '../../domain/builds/platforms.ts'
import {
  type Criterion,
  JAM_ENTRIES,
  JAM_ROLES,
  JAM_VISIBILITIES,
  JAM_VOTERS,
  MIN_RATINGS_DEFAULT,
  type Prize,
  VOTE_FAULTS,
} from '../../domain/jams.ts'
import { ASSET_TYPES } from '../../domain/listings/listing.ts'
import { users } from './accounts.ts'
import { files } from './builds.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

export const jams = pgTable(
  'jams',
  {
    uid: uid(),
    slug: text('slug').notNull().unique(),
    title: text('title').notNull(),
    tagline: text('tagline').notNull().default(''),
    /** Markdown, as written. */
    text: text('text').notNull().default(''),
    coverKey: text('cover_key'),
    theme: text('theme').notNull().default(''),
    /** Whether only hosts see the theme before the start. */
    themeHidden: boolean('theme_hidden').notNull().default(false),
    startsAt: moment('starts_at').notNull(),
    endsAt: moment('ends_at').notNull(),
    /** Null: entries are not ranked. */
    votingEndsAt: moment('voting_ends_at'),
    /** For uploads that were running at the end. */
    graceMinutes: integer('grace_minutes').notNull().default(0),
    visibility: text('visibility', { enum: JAM_VISIBILITIES }).notNull().default('draft'),
    entry: text('entry', { enum: JAM_ENTRIES }).notNull().default('open'),
    /** Allowed types and systems of entries; empty: all. */
    types: text('types', { enum: ASSET_TYPES })
      .array()
      .notNull()
      .default(sql`'{}'`),
    platforms: text('platforms', { enum: OPERATING_SYSTEMS })
      .array()
      .notNull()
      .default(sql`'{}'`),
    webRequired: boolean('web_required').notNull().default(false),
    entriesPerPerson: integer('entries_per_person').notNull().default(1),
    /** Whether listings must be created after the start. */
    madeDuring: boolean('made_during').notNull().default(false),
    voters: text('voters', { enum: JAM_VOTERS }).notNull().default('entrants'),
    criteria: jsonb('criteria').$type<Criterion[]>().notNull(),
    mustPlay: boolean('must_play').notNull().default(true),
    minRatings: integer('min_ratings').notNull().default(MIN_RATINGS_DEFAULT),
    /** When the builds of all entries were pinned. */
    pinnedAt: moment('pinned_at'),
    /** Whether hosts hold the results back until they publish them. */
    resultsHeld: boolean('results_held').notNull().default(false),
    computedAt: moment('computed_at'),
    publishedAt: moment('published_at'),
    /** The median number of counted ratings, as stored with the results. */
    median: doublePrecision('median'),
    /** Incremented by each edit; the ETag compared with If-Match. */
    revision: integer('revision').notNull().default(1),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('jams_starts').on(table.startsAt, table.uid),
    index('jams_cover').on(table.coverKey),
    index('jams_unpinned')
      .on(table.endsAt)
      .where(sql`pinned_at is null`),
    index('jams_uncomputed')
      .on(table.votingEndsAt)
      .where(sql`computed_at is null`),
  ],
)

/** Hosts and judges. */
export const jamPeople = pgTable(
  'jam_people',
  {
    jamUid: jamUid(),
    userUid: userUid(),
    role: text('role', { enum: JAM_ROLES }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.jamUid, table.userUid, table.role] }),
    index('jam_people_user').on(table.userUid),
  ],
)

/** Who joined; their names are public. */
export const jamMembers = pgTable(
  'jam_members',
  {
    jamUid: jamUid(),
    userUid: userUid(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.jamUid, table.userUid] }),
    index('jam_members_user').on(table.userUid),
  ],
)

/** Codes that admit to invited jams, and late links that admit one person after the end. Only hashes are stored. */
export const jamCodes = pgTable(
  'jam_codes',
  {
    uid: uid(),
    jamUid: jamUid(),
    codeHash: text('code_hash').notNull().unique(),
    /** Whether it admits an entry after the end. */
    late: boolean('late').notNull().default(false),
    /** Its first characters, to recognise it. */
    hint: text('hint').notNull().default(''),
    label: text('label').notNull().default(''),
    /** How many people it admits, and how many it has. A late link admits one. */
    uses: integer('uses').notNull().default(1),
    used: integer('used').notNull().default(0),
    createdBy: person('created_by'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    /** Whom it admitted last. */
    usedBy: person('used_by'),
    usedAt: moment('used_at'),
  },
  (table) => [
    index('jam_codes_jam').on(table.jamUid, table.uid),
    index('jam_codes_created_by').on(table.createdBy),
    index('jam_codes_used_by').on(table.usedBy),
  ],
)

/** What hosts changed after the start, as the page of the jam lists it. */
export const jamChanges = pgTable(
  'jam_changes',
  {
    uid: uid(),
    jamUid: jamUid(),
    text: text('text').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('jam_changes_jam').on(table.jamUid, table.uid)],
)

export const jamEntries = pgTable(
  'jam_entries',
  {
    uid: uid(),
    jamUid: jamUid(),
    gameUid: gameUid(),
    /** Who entered it: counted against the entries of a person. */
    submittedBy: person('submitted_by'),
    /** For voters. */
    note: text('note').notNull().default(''),
    /** When its first request arrived, by the clock of the database. */
    submittedAt: moment('submitted_at').notNull().defaultNow(),
    /** Entered by a late link. */
    late: boolean('late').notNull().default(false),
    withdrawnAt: moment('withdrawn_at'),
    disqualifiedAt: moment('disqualified_at'),
    disqualifiedFor: text('disqualified_for'),
    prizes: jsonb('prizes').$type<Prize[]>().notNull().default([]),
    /** Ratings it received, whether they count or not, and that its team gave: they order the queue. */
    received: integer('received').notNull().default(0),
    given: integer('given').notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('jam_entries_game').on(table.jamUid, table.gameUid),
    index('jam_entries_of_game').on(table.gameUid),
    index('jam_entries_submitted_by').on(table.submittedBy),
  ],
)

/** The jam's version of an entry: the clean stable files at its end. They cannot be deleted while they stand here. */
export const jamPins = pgTable(
  'jam_pins',
  {
    jamUid: jamUid(),
    entryUid: entryUid(),
    fileUid: uuid('file_uid')
      .notNull()
      .references(() => files.uid, { onDelete: 'restrict' }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.entryUid, table.fileUid] }),
    index('jam_pins_jam').on(table.jamUid),
    index('jam_pins_file').on(table.fileUid),
  ],
)

/** What a voter did with an entry: how long they played, whether they fetched it, whether they skipped it. */
export const jamVisits = pgTable(
  'jam_visits',
  {
    entryUid: entryUid(),
    userUid: userUid(),
    playedSeconds: integer('played_seconds').notNull().default(0),
    /** When the page of play last told that it goes on. */
    lastPlayedAt: moment('last_played_at'),
    downloadedAt: moment('downloaded_at'),
    skippedAt: moment('skipped_at'),
    cannotRunAt: moment('cannot_run_at'),
  },
  (table) => [
    primaryKey({ columns: [table.entryUid, table.userUid] }),
    index('jam_visits_user').on(table.userUid),
  ],
)

/** Votes. They outlive their voter: a counted vote stays when the account is deleted. */
export const jamRatings = pgTable(
  'jam_ratings',
  {
    uid: uid(),
    jamUid: jamUid(),
    entryUid: entryUid(),
    /** Null once the account is deleted. */
    userUid: person('user_uid'),
    /** Stars, in the order of the criteria. */
    scores: integer('scores').array().notNull(),
    comment: text('comment').notNull().default(''),
    /** Whether the comment is shown after the results. */
    commentPublic: boolean('comment_public').notNull().default(false),
    /** Keyed hash of the voter's network and the age of the account, for bursts; never shown. */
    networkHash: text('network_hash'),
    /** How old the account was when it rated, in days. */
    accountDays: integer('account_days').notNull().default(0),
    /** Why it does not count; null: it counts. */
    fault: text('fault', { enum: VOTE_FAULTS }),
    /** What a host decided about it, which no rule changes. */
    decision: text('decision', { enum: ['voided', 'restored'] }),
    decisionReason: text('decision_reason'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('jam_ratings_voter').on(table.entryUid, table.userUid),
    index('jam_ratings_jam').on(table.jamUid, table.userUid),
    index('jam_ratings_user').on(table.userUid),
  ],
)

/** The results, as they were computed: one row per entry. */
export const jamResults = pgTable(
  'jam_results',
  {
    jamUid: jamUid(),
    entryUid: entryUid().unique(),
    /** Null: played, not ranked. */
    rank: integer('rank'),
    ratings: integer('ratings').notNull(),
    score: doublePrecision('score'),
    adjusted: doublePrecision('adjusted'),
    /** In the order of the criteria. */
    criteria: jsonb('criteria')
      .$type<{ mean: number | null; adjusted: number | null; rank: number | null }[]>()
      .notNull(),
  },
  (table) => [primaryKey({ columns: [table.jamUid, table.entryUid] })],
)

function jamUid() {
  return belongsTo('jam_uid', () => jams.uid)
}

function entryUid() {
  return belongsTo('entry_uid', () => jamEntries.uid)
}

function userUid() {
  return belongsTo('user_uid', () => users.id)
}

/** Null once that account is deleted. */
function person(name: string) {
  return uuid(name).references(() => users.id, { onDelete: 'set null' })
}
