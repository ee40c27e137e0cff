import { sql } from 'drizzle-orm'

import { anyOf, type Db, integerList, textList, type Transaction } from '../../../../db/client.ts'
import { searchDocuments, searchPostings, searchWords } from '../../../../db/schema/search.ts'

/** After this delay every process has noticed that a word id is unused. */
const FREE_SECONDS = 60
const UNKNOWN = -1

/** For queries of a batch: starting workers takes longer than they do, but the planner expects more rows. */
export async function disableParallelPlans(tx: Transaction): Promise<void> {
  await tx.execute(sql`select set_config('max_parallel_workers_per_gather', '0', true)`)
}

export async function loadLastNumbers(db: Db): Promise<{ id: number; version: number }> {
  const [row] = await db.execute<{ id: number; version: string }>(sql`
    select coalesce(max(id), -1) as id,
      greatest(max(version), (select max(version) from ${searchWords}), 0) as version
    from ${searchDocuments}`)
  return { id: row?.id ?? -1, version: Number(row?.version ?? 0) }
}

export interface KnownDocument {
  id: number
  version: number
  digest: bigint | null
}

/** By the uid of their listing. */
export async function findDocuments(
  db: Db,
  gameUids: readonly string[],
): Promise<Map<string, KnownDocument>> {
  const { id, gameUid, version, digest } = searchDocuments
  const rows = await db
    .select({ id, gameUid, version, digest })
    .from(searchDocuments)
    .where(anyOf(gameUid, gameUids))
  return new Map(rows.map(({ gameUid: uid, ...known }) => [uid, known]))
}

/** By the id of their document. */
export async function findWordIds(db: Db, ids: readonly number[]): Promise<Map<number, number[]>> {
  if (ids.length === 0) return new Map()
  const { id, wordIds } = searchDocuments
  const rows = await db.select({ id, wordIds }).from(searchDocuments).where(anyOf(id, ids))
  return new Map(rows.map((row) => [row.id, row.wordIds]))
}

export interface DocumentWrite {
  id: number
  gameUid: string
  /** As JSON; null if it is removed. */
  document: string | null
  /** As an array of Postgres. */
  wordIds: string
  version: number
  digest: bigint
}

export async function writeDocuments(tx: Transaction, writes: readonly DocumentWrite[]): Promise<void> {
  const columns = [
    integerList(writes.map(({ id }) => id)),
    textList(writes.map(({ gameUid }) => gameUid)),
    textList(writes.map(({ document }) => document)),
    textList(writes.map(({ wordIds }) => wordIds)),
    textList(writes.map(({ version }) => String(version))),
    textList(writes.map(({ digest }) => String(digest))),
  ]
  await tx.execute(sql`
    insert into ${searchDocuments} (id, game_uid, document, word_ids, version, digest)
    select id, game_uid::uuid, document::jsonb, word_ids::integer[], version::bigint, digest::bigint
    from unnest(${sql.join(columns, sql`, `)}) as given (id, game_uid, document, word_ids, version, digest)
    on conflict (id) do update set document = excluded.document, word_ids = excluded.word_ids,
      version = excluded.version, digest = excluded.digest`)
}

/** Returns the ids of words, in order. New words first reuse ids that have been free for a while. */
export async function numberWords(
  tx: Transaction,
  words: readonly string[],
  version: number,
): Promise<number[]> {
  const ids = await findWords(tx, words)
  const added = words.filter((_, index) => ids[index] === UNKNOWN)
  if (added.length === 0) return ids
  await insertWords(tx, added, version)
  const news = (await findWords(tx, added)).values()
  return ids.map((id) => (id === UNKNOWN ? (news.next().value ?? UNKNOWN) : id))
}

async function findWords(tx: Transaction, words: readonly string[]): Promise<number[]> {
  const [row] = await tx.execute<{ ids: number[] | null }>(sql`
    select array_agg(coalesce(known.id, ${UNKNOWN}) order by place) as ids
    from unnest(${textList(words)}) with ordinality as given (word, place)
    left join ${searchWords} as known using (word)`)
  return row?.ids ?? []
}

async function insertWords(tx: Transaction, words: readonly string[], version: number): Promise<void> {
  await tx.execute(sql`
    with added as (
      select word, place from unnest(${textList(words)}) with ordinality as given (word, place)
    ), free as (
      select id, row_number() over () as place from (
        select id from ${searchWords} where freed_at < now() - make_interval(secs => ${FREE_SECONDS})
        order by freed_at limit ${words.length}
      ) as oldest
    ), taken as (
      update ${searchWords} as word set word = added.word, version = ${version}, freed_at = null
      from added join free using (place) where word.id = free.id
    )
    insert into ${searchWords} (id, word, version)
    select (select coalesce(max(id), -1) from ${searchWords}) + row_number() over (), added.word, ${version}
    from added where place > (select count(*) from free)`)
}

/** Removes words that no document has, among these ids or all, and frees their ids. */
export async function freeWords(
  tx: Transaction,
  ids: readonly number[] | 'all',
  version: number,
): Promise<void> {
  const isAsked = ids === 'all' ? sql`true` : sql`word.id = any(${integerList(ids)})`
  await tx.execute(sql`
    update ${searchWords} as word set word = null, version = ${version}, freed_at = now()
    where ${isAsked} and word.word is not null
      and not exists (select 1 from ${searchPostings} as posting where posting.word_id = word.id)`)
}

export interface PostingKey {
  wordId: number
  block: number
}

export interface PostingRow extends PostingKey {
  places: Uint8Array
}

/** Postings that do not exist yet are omitted. */
export async function listPostings(tx: Transaction, keys: readonly PostingKey[]): Promise<PostingRow[]> {
  if (keys.length === 0) return []
  const rows = await tx.execute<{ word_id: number; block: number; places: Buffer }>(sql`
    select word_id, block, places from ${unnestKeys(keys)} join ${searchPostings} using (word_id, block)`)
  return rows.map(({ word_id, block, places }) => ({ wordId: word_id, block, places }))
}

export async function writePostings(tx: Transaction, rows: readonly PostingRow[]): Promise<void> {
  if (rows.length === 0) return
  // As one value: thousands of short ones take longer to encode and to parse.
  const packed = Buffer.concat(rows.map(({ places }) => places)).toString('hex')
  let end = 1
  const starts = rows.map(({ places }) => (end += places.length) - places.length)
  const lengths = rows.map(({ places }) => places.length)
  const lists = [idsOf(rows), blocksOf(rows), integerList(starts), integerList(lengths)]
  await tx.execute(sql`
    with packed as materialized (select decode(${packed}, 'hex') as bytes)
    insert into ${searchPostings} (word_id, block, places)
    select word_id, block, substring(bytes from start for length)
    from packed, unnest(${sql.join(lists, sql`, `)}) as given (word_id, block, start, length)
    on conflict (word_id, block) do update set places = excluded.places`)
}

export async function deletePostings(tx: Transaction, keys: readonly PostingKey[]): Promise<void> {
  if (keys.length === 0) return
  await tx.execute(sql`
    delete from ${searchPostings} as posting using ${unnestKeys(keys)}
    where posting.word_id = given.word_id and posting.block = given.block`)
}

function unnestKeys(keys: readonly PostingKey[]) {
  return sql`unnest(${idsOf(keys)}, ${blocksOf(keys)}) as given (word_id, block)`
}

function idsOf(keys: readonly PostingKey[]) {
  return integerList(keys.map(({ wordId }) => wordId))
}

function blocksOf(keys: readonly PostingKey[]) {
  return integerList(keys.map(({ block }) => block))
}
