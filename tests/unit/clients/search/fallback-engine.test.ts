import { beforeEach, describe, expect, test } from 'bun:test'

import { createFallbackEngine } from '../../../../src/clients/search/fallback-engine.ts'
import type { EngineName, SearchEngine, SearchQuery } from '../../../../src/clients/search/search-engine.ts'
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
