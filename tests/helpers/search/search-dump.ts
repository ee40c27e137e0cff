import { sql } from 'drizzle-orm'

import { Bitset } from '../../../src/clients/search/postgres/index/bitset.ts'
import { addPositions } from '../../../src/clients/search/postgres/index/positions.ts'
import type { Db } from '../../../src/db/client.ts'
import { searchDocuments, searchPostings, searchWords } from '../../../src/db/schema/search.ts'

/** The content of the index, independent of the order in which ids were given. */
export async function dumpIndex(db: Db) {
  const words = new Map((await db.select().from(searchWords)).map(({ id, word }) => [id, word]))
  const rows = await db.select().from(searchDocuments)
  const listed = rows.filter(({ document }) => document !== null)
  const uids = new Map(rows.map(({ id, gameUid }) => [id, gameUid]))
  const textOf = (ids: readonly number[] = []) => ids.map((id) => words.get(id)).join(' ')
  return {
    documents: Object.fromEntries(
      listed.map(({ gameUid, document, wordIds }) => [
        gameUid,
        {
          ...document,
          name: textOf(document?.name),
          tagline: textOf(document?.tagline),
          words: wordIds.map((id) => words.get(id) ?? '').toSorted(),
        },
      ]),
    ),
    postings: await dumpPostings(db, words, uids),
    words: [...words.values()].filter((word) => word !== null).toSorted(),
  }
}

/** The listings under each word. */
async function dumpPostings(
  db: Db,
  words: ReadonlyMap<number, string | null>,
  uids: ReadonlyMap<number, string>,
): Promise<Record<string, string[]>> {
  const found = new Map<string, Bitset>()
  const rows = await db.execute<{ word_id: number; block: number; places: Buffer }>(
    sql`select word_id, block, places from ${searchPostings}`,
  )
  for (const { word_id, block, places } of rows) {
    const word = words.get(word_id) ?? `unknown word ${word_id}`
    const set = found.get(word) ?? new Bitset()
    addPositions(set, block, places)
    found.set(word, set)
  }
  const uidsIn = (set: Bitset) => {
    const list: string[] = []
    set.forEach((id) => list.push(uids.get(id) ?? `unknown document ${id}`))
    return list.toSorted()
  }
  return Object.fromEntries([...found].map(([word, set]) => [word, uidsIn(set)]))
}
