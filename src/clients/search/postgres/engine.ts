import type { DatabaseHandle } from '../../../db/client.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import { queryWordsOf } from '../../../lib/search-words.ts'
import type { FacetCount, SearchDocument, SearchHits, SearchIndex, SearchQuery } from '../search-engine.ts'
import { GenerationCache } from './generation-cache.ts'
import { lockIndex } from './index-queries.ts'
import { LiveIndex } from './live-index.ts'
import { prepareDocuments } from './prepare-documents.ts'
import { rank } from './rank.ts'
import { bytesOfCounts, bytesOfHits, bytesOfResults, findResults, type Results } from './results.ts'
import { readScore } from './score.ts'
import type { Snapshots } from './snapshots.ts'
import { matchText } from './text-match.ts'
import { writeIndex } from './write-index.ts'

const MB = 1024 ** 2
/** The matches that the first pages show: scoring only these is enough for most searches. */
const DEPTH = 500

/** Needs only Postgres, which stores the words; filtering, counting and ranking happen in this process. */
export async function openPostgresEngine(
  database: DatabaseHandle,
  snapshots: Snapshots | null = null,
): Promise<SearchIndex> {
  const { db } = database
  const live = new LiveIndex(db, snapshots)
  await live.listen(database)
  // Among a million listings, a text with common words takes about half a megabyte.
  const cachesOfTexts = openResultCaches(64 * MB)
  // Their results do not depend on texts and dates, so they outlive most changes.
  const cachesOfFilters = openResultCaches(16 * MB)
  const pages = new GenerationCache<SearchHits>({ maxBytes: 16 * MB, bytesOf: bytesOfHits })
  // Callers that send the same object again save its hash.
  const pageKeys = new WeakMap<SearchQuery, string>()

  /** Everything is cached under the generation that the index had when the search began. */
  async function search(query: SearchQuery): Promise<SearchHits> {
    await live.refresh()
    const { generation, filterGeneration } = live
    const key = pageKeys.get(query) ?? pageKeyOf(query)
    pageKeys.set(query, key)
    return await pages.load(generation, key, () => findPage(query, { generation, filterGeneration }))
  }

  async function findPage(query: SearchQuery, began: Generations): Promise<SearchHits> {
    const { matches, scores, total, facets } = await findCached(query, began)
    const { columns } = live
    const ranked = await rank(columns, matches, query, scores)
    const hits = ranked.map((id) => ({
      uid: columns.uids.of(id),
      score: scores ? readScore(scores, id) : 0,
    }))
    return { engine: 'postgres', hits, total, facets }
  }

  async function findCached(query: SearchQuery, began: Generations): Promise<Results> {
    const { text, filter, facets } = query
    const depth = depthOf(query)
    const words = queryWordsOf(text)
    const isText = words.length > 0
    const { results, counts } = isText ? cachesOfTexts : cachesOfFilters
    const generation = isText ? began.generation : began.filterGeneration
    return await results.load(generation, resultsKeyOf(query), async () => {
      const { columns, vocabulary, postings } = live
      const match = isText ? await matchText(words, { vocabulary, alive: columns.alive, postings }) : null
      const found = await findResults(columns, match, { filter, facets, depth }, (facet, own, count) =>
        counts.load(generation, hashOf([text, facet, own]), count),
      )
      match?.matches.release()
      return found
    })
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
  }
}

type Generations = Pick<LiveIndex, 'generation' | 'filterGeneration'>

function openResultCaches(maxBytes: number) {
  return {
    results: new GenerationCache<Results>({ maxBytes, bytesOf: bytesOfResults }),
    counts: new GenerationCache<FacetCount[]>({ maxBytes: 4 * MB, bytesOf: bytesOfCounts }),
  }
}

/** Other orders show scores of any match. */
function depthOf({ sort, offset, limit }: SearchQuery): number | null {
  return sort === 'relevance' && offset + limit <= DEPTH ? DEPTH : null
}

function resultsKeyOf(query: SearchQuery): string {
  const { text, filter, facets } = query
  return hashOf([text, filter, facetKeysOf(filter, facets), text === '' ? null : depthOf(query)])
}

function pageKeyOf({ text, filter, facets, tags, sort, offset, limit }: SearchQuery): string {
  return hashOf([text, filter, facetKeysOf(filter, facets), tags, sort, offset, limit])
}

/** Most facets use the filter of the results, which is omitted here to keep the key short. */
function facetKeysOf(filter: SearchQuery['filter'], facets: SearchQuery['facets']): unknown[] {
  return facets.map(({ facet, filter: own }) => (own === filter ? facet : [facet, own]))
}

/** Hashes the key, so that its length does not depend on the query. */
function hashOf(asked: readonly unknown[]): string {
  return sha256Hex(JSON.stringify(asked))
}
