import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { createFallbackEngine } from '../../../../src/clients/search/fallback-engine.ts'
import { openMeilisearch } from '../../../../src/clients/search/meilisearch/engine.ts'
import { toMeilisearchFilter, toQuestions } from '../../../../src/clients/search/meilisearch/query.ts'
import type {
  EngineName,
  SearchEngine,
  SearchFilter,
  SearchQuery,
} from '../../../../src/clients/search/search-engine.ts'
import { UnsupportedQuery } from '../../../../src/clients/search/unsupported-query.ts'
import { createLogger } from '../../../../src/lib/log.ts'

const QUERY: SearchQuery = {
  text: 'stars',
  filter: { kind: 'all', of: [] },
  tags: [],
  sort: 'relevance',
  offset: 0,
  limit: 20,
  facets: [],
}

/** Answers, unless told to fail. */
function fake(name: EngineName) {
  const engine = {
    name,
    asked: 0,
    failure: null as Error | null,
    search: async () => {
      engine.asked += 1
      if (engine.failure) throw engine.failure
      return { engine: name, hits: [], total: 0, facets: {} }
    },
  } satisfies SearchEngine & Record<string, unknown>
  return engine
}

describe('an engine with another one to fall back on', () => {
  let meilisearch = fake('meilisearch')
  let postgres = fake('postgres')
  let engine: SearchEngine
  let clock: number
  let current: boolean
  let lines: string[]
  const answeredBy = async () => (await engine.search(QUERY)).engine

  beforeEach(() => {
    meilisearch = fake('meilisearch')
    postgres = fake('postgres')
    clock = 1_000_000
    current = true
    lines = []
    engine = createFallbackEngine({
      preferred: meilisearch,
      spare: postgres,
      isCurrent: async () => current,
      log: createLogger({ level: 'info', pretty: false, write: (line) => lines.push(line) }),
      now: () => clock,
    })
  })

  test('answers by the preferred one alone while that works', async () => {
    expect(await answeredBy()).toBe('meilisearch')
    expect(postgres.asked).toBe(0)
  })

  test('answers by the spare one in the same request when the preferred one fails', async () => {
    meilisearch.failure = new Error('connection refused')
    expect(await answeredBy()).toBe('postgres')
    meilisearch.failure = null
    expect(await answeredBy()).toBe('meilisearch')
  })

  test('stops waiting for the preferred one after three failures in a row, and says so once', async () => {
    meilisearch.failure = new Error('connection refused')
    for (let round = 0; round < 10; round += 1) expect(await answeredBy()).toBe('postgres')
    expect(meilisearch.asked).toBe(3)
    expect(lines.filter((line) => line.includes('"warn"'))).toHaveLength(1)
  })

  test('tries it again every three seconds, on the side', async () => {
    meilisearch.failure = new Error('connection refused')
    for (let round = 0; round < 3; round += 1) await answeredBy()
    clock += 2999
    await answeredBy()
    expect(meilisearch.asked).toBe(3)
    clock += 1
    await Promise.all([answeredBy(), answeredBy(), answeredBy()])
    expect(meilisearch.asked).toBe(4)

    meilisearch.failure = null
    clock += 3000
    expect(await answeredBy()).toBe('postgres')
    expect(await answeredBy()).toBe('meilisearch')
    expect(lines.at(-1)).toContain('answers searches again')
  })

  test('leaves to the spare one what the preferred one cannot answer, without holding it against it', async () => {
    meilisearch.failure = new UnsupportedQuery('too long')
    for (let round = 0; round < 5; round += 1) expect(await answeredBy()).toBe('postgres')
    expect(meilisearch.asked).toBe(5)
    expect(lines).toEqual([])
  })

  test('does not ask a preferred one that is behind', async () => {
    current = false
    expect(await answeredBy()).toBe('postgres')
    expect(meilisearch.asked).toBe(0)
    current = true
    expect(await answeredBy()).toBe('meilisearch')
  })

  test('fails when the spare one does too', async () => {
    meilisearch.failure = new Error('connection refused')
    postgres.failure = new Error('no database')
    expect(engine.search(QUERY)).rejects.toThrow('no database')
  })
})

describe('what answers at MEILI_URL but is no sound Meilisearch', () => {
  let answer: () => Response | Promise<Response>
  let other: Bun.Server<undefined>
  beforeAll(() => {
    other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() })
  })
  afterAll(() => other.stop(true))

  test.each<[string, typeof answer]>([
    ['an error', () => Response.json({ message: 'broken', code: 'internal' }, { status: 500 })],
    ['a page of a proxy', () => new Response('<html>Bad gateway</html>', { status: 502 })],
    ['a refusal of the key', () => Response.json({ code: 'invalid_api_key' }, { status: 403 })],
    ['another program', () => new Response('<html>Welcome</html>')],
    ['something else', () => Response.json({ results: [] })],
    ['nothing', () => new Response()],
    ['never', () => new Promise(() => undefined)],
  ])('is a failure: %s', (_, given) => {
    answer = given
    const index = openMeilisearch({ url: other.url.origin, key: null })
    expect(index.search(QUERY)).rejects.toThrow()
  })
})

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

describe('packages', () => {
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
})
