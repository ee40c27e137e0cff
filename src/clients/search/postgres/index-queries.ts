import { gt, sql } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks.ts'
import {
  type IndexedDocument,
  searchDocuments,
  searchPostings,
  searchWords,
} from '../../../db/schema/search.ts'

/** The channel that notifies every process after documents were written. */
export const SEARCH_CHANGED = 'search_changed'

/** After this delay every process has noticed that a word id is unused. */
const FREE_SECONDS = 60

/** Blocks other writers until the transaction ends, so that versions increase in commit order. */
export async function lockIndex(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.searchIndex})`)
}

/** Documents written after the version, in order. Word ids are most of a row, so the first load omits them. */
export async function listDocumentsAfter(
  db: Db,
  version: number,
  { limit, withWords }: { limit: number; withWords: boolean },
) {
  return await db
    .select({
      id: searchDocuments.id,
      gameUid: searchDocuments.gameUid,
      document: searchDocuments.document,
      version: searchDocuments.version,
      wordIds: withWords ? searchDocuments.wordIds : sql<number[]>`'{}'::integer[]`,
    })
    .from(searchDocuments)
    .where(gt(searchDocuments.version, version))
    .orderBy(searchDocuments.version)
    .limit(limit)
}

export interface IndexState {
  /** How many documents have this or an earlier version, and the sum of their versions. */
  documents: number
  versions: number
  /** The ids of the others. */
  changed: number[]
}

export async function readStateAt(db: Db, version: number): Promise<IndexState> {
  const [row] = await db.execute<{
    documents: string
    versions: string | null
    changed: number[] | null
  }>(sql`
    select count(*) as documents, sum(version) as versions,
      (select array_agg(id) from ${searchDocuments} where version > ${version}) as changed
    from ${searchDocuments} where version <= ${version}`)
  return {
    documents: Number(row?.documents ?? 0),
    versions: Number(row?.versions ?? 0),
    changed: row?.changed ?? [],
  }
}

/** Words changed after the version, sorted, as one text of `word id` lines. */
export async function readWordsAfter(db: Db, version: number): Promise<{ lines: string; version: number }> {
  const [row] = await db.execute<{ lines: string | null; version: string | null }>(sql`
    select string_agg(coalesce(word, '') || ' ' || id, e'\\n' order by word collate "C") as lines,
      max(version) as version
    from ${searchWords} where version > ${version}`)
  return { lines: row?.lines ?? '', version: Number(row?.version ?? version) }
}

/** All postings of the words, concatenated: block and length as four-byte integers, then the positions. */
export async function readPostings(db: Db, wordIds: readonly number[]): Promise<Buffer> {
  const [row] = await db.execute<{ bytes: Buffer | null }>(sql`
    select string_agg(int4send(block) || int4send(length(places)) || places, ''::bytea) as bytes
    from ${searchPostings} where ${anyOf(searchPostings.wordId, wordIds)}`)
  return row?.bytes ?? Buffer.alloc(0)
}

export interface IndexedRow {
  id: number
  gameUid: string
  document: IndexedDocument | null
  wordIds: number[]
}

export async function listIndexed(db: Db, gameUids: readonly string[]): Promise<IndexedRow[]> {
  const { id, gameUid, document, wordIds } = searchDocuments
  return await db
    .select({ id, gameUid, document, wordIds })
    .from(searchDocuments)
    .where(anyOf(gameUid, gameUids))
}

export async function readLastNumbers(db: Db): Promise<{ id: number; version: number }> {
  const [row] = await db.execute<{ id: number; version: string }>(sql`
    select coalesce(max(id), -1) as id,
      greatest(max(version), (select max(version) from ${searchWords}), 0) as version
    from ${searchDocuments}`)
  return { id: row?.id ?? -1, version: Number(row?.version ?? 0) }
}

export interface DocumentWrite extends IndexedRow {
  version: number
}

export async function writeDocuments(tx: Transaction, writes: readonly DocumentWrite[]): Promise<void> {
  const columns = [
    sql`${sql.param(writes.map(({ id }) => id))}::integer[]`,
    sql`${sql.param(writes.map(({ gameUid }) => gameUid))}::uuid[]`,
    sql`${sql.param(writes.map(({ document }) => document && JSON.stringify(document)))}::text[]`,
    sql`${sql.param(writes.map(({ wordIds }) => `{${wordIds.join(',')}}`))}::text[]`,
    sql`${sql.param(writes.map(({ version }) => version))}::bigint[]`,
  ]
  await tx.execute(sql`
    insert into ${searchDocuments} (id, game_uid, document, word_ids, version)
    select id, game_uid, document::jsonb, word_ids::integer[], version
    from unnest(${sql.join(columns, sql`, `)}) as given (id, game_uid, document, word_ids, version)
    on conflict (id) do update
    set document = excluded.document, word_ids = excluded.word_ids, version = excluded.version`)
}

/** Returns the ids of words. New words first reuse ids that have been free for a while. */
export async function numberWords(
  tx: Transaction,
  words: readonly string[],
  version: number,
): Promise<Map<string, number>> {
  const given = sql`unnest(${sql.param([...words])}::text[]) as given (word)`
  await tx.execute(sql`
    with added as (
      select given.word, row_number() over () as place from ${given}
      where not exists (select 1 from ${searchWords} as known where known.word = given.word)
    ), free as (
      select id, row_number() over () as place from (
        select id from ${searchWords} where freed_at < now() - make_interval(secs => ${FREE_SECONDS})
        order by freed_at limit (select count(*) from added)
      ) as oldest
    ), taken as (
      update ${searchWords} as word set word = added.word, version = ${version}, freed_at = null
      from added join free using (place) where word.id = free.id
    )
    insert into ${searchWords} (id, word, version)
    select (select coalesce(max(id), -1) from ${searchWords}) + row_number() over (), added.word, ${version}
    from added where place > (select count(*) from free)`)
  const rows = await tx.execute<{ id: number; word: string }>(
    sql`select known.id, known.word from ${given} join ${searchWords} as known using (word)`,
  )
  return new Map(rows.map(({ id, word }) => [word, id]))
}

/** Removes words that no document has, among these ids or all, and frees their ids. */
export async function freeWords(
  tx: Transaction,
  ids: readonly number[] | 'all',
  version: number,
): Promise<void> {
  const isAsked = ids === 'all' ? sql`true` : sql`word.id = any(${sql.param([...ids])}::integer[])`
  await tx.execute(sql`
    update ${searchWords} as word set word = null, version = ${version}, freed_at = now()
    where ${isAsked} and word.word is not null
      and not exists (select 1 from ${searchPostings} as posting where posting.word_id = word.id)`)
}

export interface PostingRow {
  wordId: number
  block: number
  /** Hex. */
  places: string
}

/** Postings that do not exist yet are omitted. */
export async function listPostings(
  tx: Transaction,
  keys: readonly Omit<PostingRow, 'places'>[],
): Promise<PostingRow[]> {
  const rows = await tx.execute<{ word_id: number; block: number; places: string }>(sql`
    select word_id, block, encode(places, 'hex') as places
    from ${unnestKeys(keys)} join ${searchPostings} using (word_id, block)`)
  return rows.map(({ word_id, block, places }) => ({ wordId: word_id, block, places }))
}

export async function writePostings(tx: Transaction, rows: readonly PostingRow[]): Promise<void> {
  const kept = rows.filter(({ places }) => places !== '')
  const ended = rows.filter(({ places }) => places === '')
  if (kept.length > 0) {
    await tx.execute(sql`
      insert into ${searchPostings} (word_id, block, places)
      select word_id, block, decode(places, 'hex')
      from unnest(${numbers(kept, 'wordId')}, ${numbers(kept, 'block')},
        ${sql.param(kept.map(({ places }) => places))}::text[]) as given (word_id, block, places)
      on conflict (word_id, block) do update set places = excluded.places`)
  }
  if (ended.length > 0) {
    await tx.execute(sql`
      delete from ${searchPostings} as posting using ${unnestKeys(ended)}
      where posting.word_id = given.word_id and posting.block = given.block`)
  }
}

function unnestKeys(keys: readonly Omit<PostingRow, 'places'>[]) {
  return sql`unnest(${numbers(keys, 'wordId')}, ${numbers(keys, 'block')}) as given (word_id, block)`
}

function numbers(rows: readonly Omit<PostingRow, 'places'>[], key: 'wordId' | 'block') {
  return sql`${sql.param(rows.map((row) => row[key]))}::integer[]`
}
