import { createCache } from '../../../../lib/cache/cache.ts'
import { queryWordsOf } from '../../../../lib/text/search-words.ts'
import type { Find, SearchHits, SearchQuery } from '../../search-engine.ts'
import type { LiveIndex } from '../index/live-index.ts'
import { matchFind, type ReadTexts } from './find-match.ts'
import { scoreFind } from './find-score.ts'
import { pageKeyOf, resultsKeyOf } from './query-keys.ts'
import { rank } from './rank.ts'
import {
  bytesOfCounts,
  bytesOfFirst,
  bytesOfResults,
  findResults,
  type FirstResults,
  type Results,
  type WordMatch,
} from './results.ts'
import { findScore, scoreMatches } from './score.ts'
import { matchText } from './text-match.ts'

const MB = 1024 ** 2
/** Nearly all visitors look at no more than this many results of a text. */
const FIRST = 250

/** The generations that the index had when the search began. */
export type Generations = Pick<LiveIndex, 'generation' | 'filterGeneration'>

export type FindPage = (query: SearchQuery, began: Generations) => Promise<SearchHits>

/** Caches what the pages of a search share. */
export function createPageFinder(live: LiveIndex, readTexts: ReadTexts | null): FindPage {
  const firstOfTexts = createCache<FirstResults>({ maxBytes: 16 * MB, bytesOf: bytesOfFirst })
  // Among a million listings, a text with common words takes about half a megabyte.
  const resultsOfTexts = createCache<Results>({ maxBytes: 16 * MB, bytesOf: bytesOfResults })
  // Their results do not depend on texts and dates, so they outlive most changes.
  const resultsOfFilters = createCache<Results>({ maxBytes: 16 * MB, bytesOf: bytesOfResults })
  const counts = createCache<SearchHits['facets']>({ maxBytes: 8 * MB, bytesOf: bytesOfCounts })

  async function findPage(query: SearchQuery, began: Generations): Promise<SearchHits> {
    const { offset, limit } = query
    const words = readWords(query)
    if (words.isAny && query.sort === 'relevance' && offset + limit <= FIRST) {
      const { ids, scores, total, facets } = await findFirst(query, words, began)
      const shown = ids.slice(offset, offset + limit)
      return { engine: 'postgres', hits: toHits(shown, scores.slice(offset)), total, facets }
    }
    const results = await findAll(query, words, began)
    const { ids, scores } = await rankResults(query, results)
    return { engine: 'postgres', hits: toHits(ids, scores), total: results.total, facets: results.facets }
  }

  /** Caching only these takes a fraction of the memory of all results, and of the time to score them. */
  async function findFirst(query: SearchQuery, words: Words, began: Generations): Promise<FirstResults> {
    const first = { ...query, offset: 0, limit: FIRST }
    return await firstOfTexts.compute(began.generation, pageKeyOf(first), async () => {
      const results = await findResultsOf(query, words, began, FIRST)
      const ranked = await rankResults(first, results)
      results.matches.release()
      return { ...ranked, total: results.total, facets: results.facets }
    })
  }

  async function findAll(query: SearchQuery, words: Words, began: Generations): Promise<Results> {
    const [results, generation] = words.isAny
      ? [resultsOfTexts, began.generation]
      : [resultsOfFilters, began.filterGeneration]
    return await results.compute(generation, resultsKeyOf(query), () =>
      findResultsOf(query, words, began, null),
    )
  }

  async function findResultsOf(
    { filter, facets }: SearchQuery,
    words: Words,
    began: Generations,
    depth: number | null,
  ): Promise<Results> {
    const match = words.isAny ? await matchWords(words, began) : null
    const found = await findResults(live.columns, match, { filter, facets, depth }, (key, count) =>
      counts.compute(began.filterGeneration, key, count),
    )
    match?.matches.release()
    return found
  }

  /** A text and what a person wants to find both have to match; the latter ranks. */
  async function matchWords({ text, find }: Words, began: Generations): Promise<WordMatch> {
    const { columns, vocabulary, postings, facts } = live
    const index = { columns, vocabulary, postings, facts, alive: columns.alive, readTexts }
    if (find === null) {
      const match = await matchText(text, index)
      return {
        matches: match.matches,
        score: (matches, depth) => scoreMatches(columns, match, matches, depth),
      }
    }
    await facts.read(columns, began.filterGeneration)
    const match = await matchFind(find, index)
    if (text.length > 0) match.matches.and((await matchText(text, index)).matches)
    return { matches: match.matches, score: (matches) => scoreFind(columns, match, matches) }
  }

  async function rankResults(query: SearchQuery, { matches, scores }: Results) {
    const ids = await rank(live, matches, query, scores)
    return { ids, scores: ids.map((id) => (scores ? findScore(scores, id) : 0)) }
  }

  function toHits(ids: readonly number[], scores: readonly number[]): SearchHits['hits'] {
    return ids.map((id, index) => ({ uid: live.columns.uids.of(id), score: scores[index] ?? 0 }))
  }

  return findPage
}

interface Words {
  text: readonly string[]
  find: Find | null
  isAny: boolean
}

function readWords({ text, find }: SearchQuery): Words {
  const words = queryWordsOf(text)
  const isAsked = find !== undefined && find.terms.length + find.without.length > 0
  return { text: words, find: isAsked ? find : null, isAny: isAsked || words.length > 0 }
}
