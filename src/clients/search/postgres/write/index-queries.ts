import { gt, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../../db/client.ts'
import { LOCKS } from '../../../../db/locks/locks.ts'
import { searchDocuments, searchPostings, searchWords } from '../../../../db/schema/search.ts'

/** The channel that notifies every process after documents were written. */
export const SEARCH_CHANGED = 'search_changed'

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

export async function loadStateAt(db: Db, version: number): Promise<IndexState> {
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
export async function loadWordsAfter(db: Db, version: number): Promise<{ lines: string; version: number }> {
  const [row] = await db.execute<{ lines: string | null; version: string | null }>(sql`
    select string_agg(coalesce(word, '') || ' ' || id, e'\\n' order by word collate "C") as lines,
      max(version) as version
    from ${searchWords} where version > ${version}`)
  return { lines: row?.lines ?? '', version: Number(row?.version ?? version) }
}

/**
 * All postings of the words, concatenated: block and length as four-byte integers, then the positions. Each word is
 * looked up in the index: Postgres overestimates rare words, and would read the whole table for hundreds of them.
 */
export async function loadPostings(db: Db, wordIds: readonly number[]): Promise<Buffer> {
  const [row] = await db.execute<{ bytes: Buffer | null }>(sql`
    select string_agg(int4send(block) || int4send(length(places)) || places, ''::bytea) as bytes
    from unnest(${sql.param([...wordIds])}::integer[]) as wanted (word_id) cross join lateral (
      select block, places from ${searchPostings} where word_id = wanted.word_id offset 0) as found`)
  return row?.bytes ?? Buffer.alloc(0)
}
