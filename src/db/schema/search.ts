import { sql } from 'drizzle-orm'
import {
  bigint,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'

import type { SearchDocument } from '../../clients/search/search-engine.ts'
import { createdAt, moment } from './columns.ts'

/** Written as hex. */
const bytea = customType<{ data: string }>({ dataType: () => 'bytea' })

/** Everything of a document that filters and ranks, its texts as numbers of words. */
export interface IndexedDocument extends Omit<SearchDocument, 'uid' | 'name' | 'tagline' | 'description'> {
  name: readonly number[]
  tagline: readonly number[]
}

/** Listings whose documents may be out of date, written in the transaction of the change. Only appended to, so nobody waits. */
export const searchChanges = pgTable('search_changes', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  gameUid: uuid('game_uid').notNull(),
  createdAt: createdAt(),
})

export const searchDocuments = pgTable('search_documents', {
  /** Dense from 0: a place in the bitsets of every process. */
  id: integer('id').primaryKey(),
  gameUid: uuid('game_uid').notNull().unique(),
  /** null once it is removed: the row stays, so that readers learn of it. */
  document: jsonb('document').$type<IndexedDocument>(),
  /** In whose postings it stands. */
  wordIds: integer('word_ids').array().notNull(),
  /** Grows with every write, in the order of the commits. */
  version: bigint('version', { mode: 'number' }).notNull().unique(),
})

/** Every word that some document has. Typos find what was meant among them. */
export const searchWords = pgTable(
  'search_words',
  {
    /** Dense from 0: a place in arrays of every process. */
    id: integer('id').primaryKey(),
    /** null while the number is free. */
    word: text('word').unique(),
    /** That of the documents in whose transaction it changed last: readers ask for what is newer. */
    version: bigint('version', { mode: 'number' }).notNull().default(0),
    /** Given to another word only after a while, so that no reader takes one for the other. */
    freedAt: moment('freed_at'),
  },
  (table) => [
    index('search_words_version').on(table.version),
    index('search_words_free')
      .on(table.freedAt)
      .where(sql`${table.freedAt} is not null`),
  ],
)

/** Which documents of a block have a word. */
export const searchPostings = pgTable(
  'search_postings',
  {
    wordId: integer('word_id').notNull(),
    block: integer('block').notNull(),
    places: bytea('places').notNull(),
  },
  (table) => [primaryKey({ columns: [table.wordId, table.block] })],
)

/** Up to which version of the documents an engine beside Postgres has been told. */
export const searchMirrors = pgTable('search_mirrors', {
  engine: text('engine').primaryKey(),
  version: bigint('version', { mode: 'number' }).notNull(),
  /** When the oldest change was made that it has not been told; null when it knows all. */
  behindSince: moment('behind_since'),
})
