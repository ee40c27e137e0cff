import { describe, expect, test } from 'bun:test'

import { toQuestions } from '../../../../src/clients/search/meilisearch/query.ts'
import type { SearchQuery } from '../../../../src/clients/search/search-engine.ts'
import { UnsupportedQuery } from '../../../../src/clients/search/unsupported-query.ts'

const ANY_PACKAGE = { kind: 'package', ownedUids: [], author: null, words: [] } as const
const QUERY: SearchQuery = {
  text: '',
  filter: ANY_PACKAGE,
  tags: [],
  sort: 'relevance',
  offset: 0,
  limit: 10,
  facets: [],
}

describe('searches of editor packages', () => {
  test('are left to Postgres by Meilisearch, which does not index them', () => {
    expect(() => toQuestions(QUERY)).toThrow(UnsupportedQuery)
    const sort = { by: 'title', descending: false } as const
    expect(() => toQuestions({ ...QUERY, filter: { kind: 'adult' }, sort })).toThrow(UnsupportedQuery)
    expect(() => toQuestions({ ...QUERY, filter: { kind: 'adult' } })).not.toThrow()
  })
})
