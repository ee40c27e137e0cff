import { expect } from 'bun:test'

import type { SearchHits } from '../../src/clients/search/search-engine.ts'
import { parseQuery } from '../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../src/features/catalog/search/request.ts'
import { createRandom } from '../../src/lib/random.ts'
import { makeRandomDocument, makeWords } from '../helpers/search/search-documents.ts'
import type { EngineUnderTest } from './search-engines.ts'
import type { Expected } from './search-reference.ts'

export function makeCatalog(seed: string, count: number) {
  const random = createRandom(seed)
  const shape = { words: makeWords(seed, 500), tags: makeWords(`${seed} tags`, 150), length: 20 }
  return {
    ...shape,
    documents: Array.from({ length: count }, (_, at) => makeRandomDocument(random, at, shape)),
  }
}

/** Expects the same listings, in the same order unless a text ranks them, and the same counts. */
export async function compareSearch(
  engine: EngineUnderTest,
  question: string,
  expected: Expected,
): Promise<void> {
  const answer = await engine.search(question, { all: true })
  const isRanked = /\b(q|find)=/.test(question)
  const uids = answer.hits.map(({ uid }) => uid)
  expect({ question, uids: isRanked ? uids.toSorted() : uids, total: answer.total }).toEqual({
    question,
    uids: isRanked ? expected.uids.toSorted() : expected.uids,
    total: expected.uids.length,
  })
  expect({ question, facets: readCounts(answer) }).toEqual({ question, facets: expected.facets })
  // It finds first pages in another way than all results.
  if (answer.engine !== 'postgres') return
  const { offset, limit } = parseQuery(SearchRequest.parse(new URLSearchParams(question)), false).query
  const page = await engine.search(question)
  expect({ question, hits: page.hits }).toEqual({ question, hits: answer.hits.slice(offset, offset + limit) })
}

export function readCounts({ facets }: SearchHits): Record<string, Record<string, number>> {
  return Object.fromEntries(
    Object.entries(facets).map(([facet, counts]) => [
      facet,
      Object.fromEntries(counts.map(({ value, count }) => [value, count])),
    ]),
  )
}
