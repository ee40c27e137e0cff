import { describe, expect, test } from 'bun:test'

import { toMeilisearchFilter } from '../../../../src/clients/search/meilisearch/filter.ts'
import type { SearchFilter } from '../../../../src/clients/search/search-engine.ts'

const ADULT: SearchFilter = { kind: 'adult' }

describe('the filter in the language of Meilisearch', () => {
  test.each<[SearchFilter, string]>([
    [{ kind: 'has', field: 'tags', values: ['cozy', 'stars'] }, 'tags IN ["cozy", "stars"]'],
    [{ kind: 'has', field: 'tags', values: [] }, 'tags IN []'],
    [{ kind: 'not', of: ADULT }, 'NOT (adult = true)'],
    [{ kind: 'players', count: 4 }, 'players_min <= 4 AND players_max >= 4'],
    [{ kind: 'all', of: [ADULT, { kind: 'not', of: ADULT }] }, '(adult = true) AND (NOT (adult = true))'],
    [{ kind: 'any', of: [ADULT, ADULT] }, '(adult = true) OR (adult = true)'],
    [{ kind: 'all', of: [] }, 'NOT adult IN []'],
    [{ kind: 'any', of: [] }, 'adult IN []'],
  ])('%j', (filter, expected) => {
    expect(toMeilisearchFilter(filter)).toBe(expected)
  })

  test.each([
    ['a"b', '"a\\"b"'],
    ["it's", '"it\'s"'],
    ['ends\\', '"ends\\\\"'],
    ['\\" OR adult = true', '"\\\\\\" OR adult = true"'],
  ])('a value stays a value: %s', (value, expected) => {
    expect(toMeilisearchFilter({ kind: 'has', field: 'tags', values: [value] })).toBe(`tags IN [${expected}]`)
  })

  test('a version that has no numbers fits no range', () => {
    const filter = toMeilisearchFilter({ kind: 'compat', engine: null, version: 'newest', renderer: null })
    expect(filter.split(' OR ').every((range) => range.includes('adult IN []'))).toBe(true)
  })
})
