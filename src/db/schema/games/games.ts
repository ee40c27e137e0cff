import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uuid,
} from 'drizzle-orm/pg-core'

import { ACCESSIBILITY } from '../../../domain/listings/accessibility.ts'
import type { EngineRange } from '../../../domain/listings/engine-range.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../../domain/listings/fields.ts'
import type { LanguageSupport } from '../../../domain/listings/languages.ts'
import { ASSET_TYPES, LICENSE_KINDS, STATUS_DEFAULT, STATUSES } from '../../../domain/listings/listing.ts'
import type { ModSettings } from '../../../domain/listings/mod-settings.ts'
import type { Requirements } from '../../../domain/listings/requirements.ts'
import { type PendingPublication, type TakeDown, VISIBILITIES } from '../../../domain/listings/visibility.ts'
import type { WebPlayer } from '../../../domain/listings/web-player.ts'
import { users } from '../accounts.ts'
import { belongsTo, createdAt, moment, uid } from '../columns.ts'

export interface StoreLinkValue {
  platform: string
  url: string
}

/** A listing of any type. The API and the tables call all of them games. */
export const games = pgTable(
  'games',
  {
    uid: uid(),
    /** The number of its package in the editor asset library, because editors only read 32-bit integers. */
    assetId: integer('asset_id').notNull().generatedAlwaysAsIdentity().unique(),
    ownerUid: uuid('owner_uid')
      .notNull()
      .references(() => users.id),
    assetType: text('asset_type', { enum: ASSET_TYPES }).notNull(),
    visibility: text('visibility', { enum: VISIBILITIES }).notNull().default('draft'),
    name: text('name').notNull(),
    vanityName: text('vanity_name').notNull().unique(),
    tagline: text('tagline').notNull().default(''),
    description: text('description').notNull().default(''),
    status: text('status', { enum: STATUSES }).notNull().default(STATUS_DEFAULT),
    website: text('website'),
    adult: boolean('adult').notNull().default(false),
    indexable: boolean('indexable').notNull().default(true),
    priceCents: integer('price_cents').notNull().default(0),
    /** Grows with players and downloads of the last weeks; a job keeps it up to date. */
    popularity: integer('popularity').notNull().default(0),
    /** Whether buyers may pay more than the price, and players something for a free listing. */
    payMore: boolean('pay_more').notNull().default(false),
    anonymousDownloads: boolean('anonymous_downloads').notNull().default(false),
    /** False: only trusted publishers upload builds, no deploy keys that people issue. */
    keysAllowed: boolean('keys_allowed').notNull().default(true),
    licenseKind: text('license_kind', { enum: LICENSE_KINDS }),

    genres: list('genres', GENRES),
    tags: list('tags'),
    tone: list('tone', TONES),
    inputs: list('inputs', INPUTS),
    contentWarnings: list('content_warnings', CONTENT_WARNINGS),
    engines: list('engines'),
    sessionBucket: text('session_bucket', { enum: SESSION_BUCKETS }),
    net: text('net', { enum: NETS }),
    playersMin: integer('players_min'),
    playersMax: integer('players_max'),
    authorship: text('authorship', { enum: AUTHORSHIPS }),
    authorshipCredit: text('authorship_credit'),
    aiUses: list('ai_uses', AI_USES),
    accessibility: list('accessibility', ACCESSIBILITY),
    languages: jsonb('languages').$type<LanguageSupport[]>().notNull().default([]),
    requirements: jsonb('requirements').$type<Requirements>().notNull().default({}),

    parentUid: uuid('parent_uid').references((): AnyPgColumn => games.uid, { onDelete: 'set null' }),
    parentExternalName: text('parent_external_name'),
    parentExternalUrl: text('parent_external_url'),
    modSettings: jsonb('mod_settings').$type<ModSettings>(),
    engineCompat: jsonb('engine_compat').$type<EngineRange[]>().notNull().default([]),
    /** Null: the defaults. */
    webPlayer: jsonb('web_player').$type<WebPlayer>(),
    /** Whether players may keep saves of it in their accounts. */
    savesEnabled: boolean('saves_enabled').notNull().default(false),
    storeLinks: jsonb('store_links').$type<StoreLinkValue[]>().notNull().default([]),

    /** Incremented by each edit of the owner; this is the ETag compared with If-Match. */
    revision: integer('revision').notNull().default(1),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    /** When it was first published. */
    publishedAt: moment('published_at'),
    /** When it last became public; null while it is not. */
    publicSince: moment('public_since'),
    /** When the owner was warned that the grace period ends. */
    graceWarnedAt: moment('grace_warned_at'),
    /** Set while the operators have taken the page down. */
    takenDown: jsonb('taken_down').$type<TakeDown>(),
    /** Set while its publication waits for an operator. */
    pendingPublication: jsonb('pending_publication').$type<PendingPublication>(),
    /** When an operator approved its publication. */
    approvedAt: moment('approved_at'),
  },
  (table) => [
    index('games_owner').on(table.ownerUid, table.uid),
    index('games_parent')
      .on(table.parentUid)
      .where(sql`parent_uid is not null`),
    index('games_sitemap')
      .on(table.uid)
      .where(sql`visibility = 'public' and indexable`),
    index('games_sitemap_developers')
      .on(table.ownerUid, table.updatedAt)
      .where(sql`visibility = 'public' and indexable`),
    index('games_public_owner')
      .on(table.ownerUid, table.publishedAt)
      .where(sql`visibility = 'public'`),
    index('games_taken_down')
      .on(table.uid)
      .where(sql`taken_down is not null`),
    index('games_pending_publication')
      .on(table.uid)
      .where(sql`pending_publication is not null`),
    // A last safeguard in case a check is missing: a page that was taken down is visible to its owner only.
    check('games_taken_down_hidden', sql`taken_down is null or visibility = 'owner'`),
  ],
)

/** Previous vanity names of a listing, which redirect to the current one. */
export const oldVanityNames = pgTable(
  'old_vanity_names',
  {
    name: text('name').primaryKey(),
    gameUid: gameUid(),
    createdAt: createdAt(),
  },
  (table) => [index('old_vanity_names_game').on(table.gameUid)],
)

/** The column of child tables that refers to their game. */
export function gameUid() {
  return belongsTo('game_uid', () => games.uid)
}

function list<const Values extends readonly [string, ...string[]] = readonly [string, ...string[]]>(
  name: string,
  values?: Values,
) {
  return text(name, { enum: values })
    .array()
    .notNull()
    .default(sql`'{}'`)
}
