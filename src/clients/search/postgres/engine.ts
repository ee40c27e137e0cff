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
import { SCORE_STEPS, spreadScores } from './score.ts'
import { matchText } from './text-match.ts'
import { writeIndex } from './write-index.ts'

const MB = 1024 ** 2

/** Needs only Postgres, which stores the words; filtering, counting and ranking happen in this process. */
export async function openPostgresEngine(database: DatabaseHandle): Promise<SearchIndex> {
  const { db } = database
  const live = new LiveIndex(db)
  await live.listen(database)
  const results = new GenerationCache<Results>({ maxBytes: 16 * MB, bytesOf: bytesOfResults })
  const counts = new GenerationCache<FacetCount[]>({ maxBytes: 4 * MB, bytesOf: bytesOfCounts })
  const pages = new GenerationCache<SearchHits>({ maxBytes: 16 * MB, bytesOf: bytesOfHits })
  // Callers that send the same object again save its hash.
  const pageKeys = new WeakMap<SearchQuery, string>()

  /** Everything is cached under the generation that the index had when the search began. */
  async function search(query: SearchQuery): Promise<SearchHits> {
    await live.refresh()
    const { generation } = live
    const key = pageKeys.get(query) ?? pageKeyOf(query)
    pageKeys.set(query, key)
    return await pages.load(generation, key, () => findPage(query, generation))
  }

  async function findPage(query: SearchQuery, generation: number): Promise<SearchHits> {
    const found = await results.load(generation, resultsKeyOf(query), () => find(query, generation))
    const scores = found.scores && spreadScores(found.scores, live.columns.size)
    const ranked = await rank(live.columns, found.matches, query, scores)
    const hits = ranked.map((id) => ({
      uid: live.columns.uidOf(id),
      score: (scores?.[id] ?? 0) / SCORE_STEPS,
    }))
    return { engine: 'postgres', hits, total: found.total, facets: found.facets }
  }

  async function find({ text, filter, facets }: SearchQuery, generation: number): Promise<Results> {
    const words = queryWordsOf(text)
    const { columns, vocabulary, postings } = live
    const index = { vocabulary, alive: columns.alive, postings }
    const match = words.length === 0 ? null : await matchText(words, index)
    return await findResults(columns, match, { filter, facets }, (facet, own, count) =>
      counts.load(generation, hashOf([text, facet, own]), count),
    )
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
    settled: () => live.refresh(),
  }
}

function resultsKeyOf({ text, filter, facets }: SearchQuery): string {
  return hashOf([text, filter, facetKeysOf(filter, facets)])
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
