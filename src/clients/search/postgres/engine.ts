import type { DatabaseHandle } from '../../../db/client.ts'
import { queryWordsOf } from '../../../lib/search-words.ts'
import type { FacetCount, SearchDocument, SearchHits, SearchIndex, SearchQuery } from '../search-engine.ts'
import { lockIndex } from './index-queries.ts'
import { keepWhenDone, Kept } from './kept.ts'
import { LiveIndex } from './live-index.ts'
import { createPostingFinder } from './postings.ts'
import { rank } from './rank.ts'
import { findResults, type KeepCounts, type Results } from './results.ts'
import { SCORE_STEPS, spreadScores } from './score.ts'
import { matchText } from './text-match.ts'
import { writeIndex } from './write-index.ts'

/** With 100,000 documents one takes about 30 KB. */
const KEPT_RESULTS = 200
const KEPT_COUNTS = 500
const KEPT_PAGES = 1000

/** Needs nothing but Postgres, which keeps the words; filters, counts and ranks are worked out here. */
export async function openPostgresEngine(database: DatabaseHandle): Promise<SearchIndex> {
  const { db } = database
  const live = new LiveIndex(db)
  await live.listen(database)
  const findPostings = createPostingFinder(database, live)
  const results = new Kept<Promise<Results>>(KEPT_RESULTS)
  const counts = new Kept<FacetCount[]>(KEPT_COUNTS)
  const pages = new Kept<Promise<SearchHits>>(KEPT_PAGES)

  async function search(query: SearchQuery): Promise<SearchHits> {
    await live.refresh()
    return await keepWhenDone(pages, live.generation, JSON.stringify(query), () => turnTo(query))
  }

  async function turnTo(query: SearchQuery): Promise<SearchHits> {
    const { text, filter, facets } = query
    const key = JSON.stringify([text, filter, facets])
    const found = await keepWhenDone(results, live.generation, key, () => find(query))
    const scores = found.scores && spreadScores(found.scores, live.columns.size)
    const hits = rank(live.columns, found.matches, query, scores).map((id) => ({
      uid: live.columns.uidOf(id),
      score: (scores?.[id] ?? 0) / SCORE_STEPS,
    }))
    return { engine: 'postgres', hits, total: found.total, facets: found.facets }
  }

  async function find({ text, filter, facets }: SearchQuery): Promise<Results> {
    const words = queryWordsOf(text)
    const match =
      words.length === 0 ? null : await matchText(words, live.vocabulary, live.columns.alive, findPostings)
    const keepCounts: KeepCounts = (facet, own, count) =>
      counts.get(live.generation, JSON.stringify([text, facet, own]), count)
    return findResults(live.columns, match, { filter, facets }, keepCounts)
  }

  async function write(documents: readonly SearchDocument[], removed: readonly string[]): Promise<void> {
    await db.transaction(async (tx) => {
      await lockIndex(tx)
      await writeIndex(tx, documents, removed)
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
