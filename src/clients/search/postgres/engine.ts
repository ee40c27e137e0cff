import type { DatabaseHandle } from '../../../db/client.ts'
import type { SearchDocument } from '../../../domain/listings/search-document.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import type { SearchHits, SearchIndex, SearchQuery } from '../search-engine.ts'
import { LiveIndex } from './index/live-index.ts'
import type { ReadTexts } from './query/find-match.ts'
import { createPageFinder } from './query/page-finder.ts'
import { pageKeyOf } from './query/query-keys.ts'
import { bytesOfHits } from './query/results.ts'
import { createSearchWords, type SearchWords } from './search-words.ts'
import type { Snapshots } from './snapshots/snapshots.ts'
import { lockIndex } from './write/index-queries.ts'
import { prepareDocuments } from './write/prepare-documents.ts'
import { writeIndex } from './write/write-index.ts'

const PAGES_BYTES = 16 * 1024 ** 2

export interface PostgresIndex extends SearchIndex {
  words: SearchWords
}

/** Needs only Postgres, which stores the words; filtering, counting and ranking happen in this process. */
export async function openPostgresEngine(
  database: DatabaseHandle,
  snapshots: Snapshots | null = null,
  loadWaitMs?: number,
  readTexts: ReadTexts | null = null,
): Promise<PostgresIndex> {
  const { db } = database
  const live = new LiveIndex(db, snapshots, loadWaitMs)
  await live.listen(database)
  const findPage = createPageFinder(live, readTexts)
  const pages = createCache<SearchHits>({ maxBytes: PAGES_BYTES, bytesOf: bytesOfHits })
  // Callers that send the same object again save its hash.
  const pageKeys = new WeakMap<SearchQuery, string>()

  /** Everything is cached under the generation that the index had when the search began. */
  async function search(query: SearchQuery): Promise<SearchHits> {
    await live.refresh()
    const { generation, filterGeneration } = live
    const key = pageKeys.get(query) ?? pageKeyOf(query)
    pageKeys.set(query, key)
    return await pages.compute(generation, key, () => findPage(query, { generation, filterGeneration }))
  }

  async function write(documents: readonly SearchDocument[], removed: readonly string[]): Promise<void> {
    const prepared = await prepareDocuments(documents)
    await db.transaction(async (tx) => {
      await lockIndex(tx)
      await writeIndex(tx, prepared, removed)
    })
    live.expire()
  }

  return {
    name: 'postgres',
    search,
    upsert: (documents) => write(documents, []),
    remove: (uids) => write([], uids),
    settled: () => live.settled(),
    words: createSearchWords(live),
  }
}
