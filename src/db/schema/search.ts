import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'

import type { SearchDocument } from '../../domain/listings/search-document.ts'
import { createdAt, moment } from './columns.ts'

/** Values are hex strings. */
const bytea = customType<{ data: string }>({ dataType: () => 'bytea' })

/** The fields of a document used to filter and rank, with texts as word ids. */
export interface IndexedDocument extends Omit<
  SearchDocument,
  'uid' | 'name' | 'tagline' | 'description' | 'post_titles'
> {
  name: readonly number[]
  tagline: readonly number[]
}

/** Games whose documents may be stale, written with the change. Append-only, so that no writer waits. */
export const searchChanges = pgTable('search_changes', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  gameUid: uuid('game_uid').notNull(),
  createdAt: createdAt(),
})

export const searchDocuments = pgTable('search_documents', {
  /** Dense from 0: the index in the bitsets of every process. */
  id: integer('id').primaryKey(),
  gameUid: uuid('game_uid').notNull().unique(),
  /** Null once it is removed: the row remains so that readers notice. */
  document: jsonb('document').$type<IndexedDocument>(),
  /** The words whose postings contain it. */
  wordIds: integer('word_ids').array().notNull(),
  /** Increases with every write, in commit order. */
  version: bigint('version', { mode: 'number' }).notNull().unique(),
  /** Of document and words, so that unchanged ones are recognised without reading them; null if unknown. */
  digest: bigint('digest', { mode: 'bigint' }),
})

/** Every word of any document; typos are corrected to one of them. */
export const searchWords = pgTable(
  'search_words',
  {
    /** Dense from 0: the index in arrays of every process. */
    id: integer('id').primaryKey(),
    /** Null while the id is unused. */
    word: text('word').unique(),
    /** Version of the documents written in the transaction that last changed it: readers fetch newer rows. */
    version: bigint('version', { mode: 'number' }).notNull().default(0),
    /** An id is reused only after a delay, so that no reader confuses two words. */
    freedAt: moment('freed_at'),
  },
  (table) => [
    index('search_words_version').on(table.version),
    index('search_words_free')
      .on(table.freedAt)
      .where(sql`${table.freedAt} is not null`),
  ],
)

/** The documents of a block that contain a word. */
export const searchPostings = pgTable(
  'search_postings',
  {
    wordId: integer('word_id').notNull(),
    block: integer('block').notNull(),
    places: bytea('places').notNull(),
  },
  (table) => [primaryKey({ columns: [table.wordId, table.block] })],
)

/** The document version up to which another search engine has been updated. */
export const searchMirrors = pgTable('search_mirrors', {
  engine: text('engine').primaryKey(),
  version: bigint('version', { mode: 'number' }).notNull(),
  /** When the oldest change that it lacks was made; null when it is up to date. */
  behindSince: moment('behind_since'),
})

/** The reindex that was requested and has not finished; at most one row. */
export const searchReindexes = pgTable('search_reindexes', {
  isOnly: boolean('is_only').primaryKey().default(true),
  /** Whether it began at the first listing. */
  isFull: boolean('is_full').notNull(),
  /** Listings are processed in the order of their uids; this one and later ones are left. */
  nextUid: uuid('next_uid').notNull(),
  done: integer('done').notNull().default(0),
  /** Increases with every request, so that the process at work notices listings added behind it. */
  requests: integer('requests').notNull().default(1),
  /** When the last batch was written. */
  movedAt: moment('moved_at').notNull().defaultNow(),
})

/** Words that a search found nothing with, for each day; nothing about who searched. */
export const searchMisses = pgTable(
  'search_misses',
  {
    words: text('words').notNull(),
    day: date('day').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.words, table.day] }), index('search_misses_day').on(table.day)],
)
