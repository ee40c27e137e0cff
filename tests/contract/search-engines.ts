import { afterAll, beforeAll, describe } from 'bun:test'

import { type MeilisearchIndex, openMeilisearch } from '../../src/clients/search/meilisearch/engine.ts'
import { openPostgresEngine } from '../../src/clients/search/postgres/engine.ts'
import {
  type EngineName,
  ENGINES,
  type SearchHits,
  type SearchIndex,
} from '../../src/clients/search/search-engine.ts'
import { openDatabase } from '../../src/db/client.ts'
import type { SearchDocument } from '../../src/domain/listings/search-document.ts'
import { parseQuery } from '../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../src/features/catalog/search/request.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { MEILISEARCH_TEST_MS } from '../helpers/engines/meilisearch.ts'
import { CATALOG_NOW } from '../helpers/search/search-documents.ts'

const meiliUrl = process.env['TEST_MEILI_URL'] ?? ''
const isMeiliMissing = meiliUrl === '' && process.env['REQUIRE_ENGINES'] !== '1'

export interface EngineUnderTest {
  index: SearchIndex | MeilisearchIndex
  /** As the route would ask. */
  search(query: string, options?: { withAdult?: boolean; all?: boolean; now?: number }): Promise<SearchHits>
}

/** Runs one suite on every engine, each with these documents. Where no Meilisearch runs, its half is skipped by name. */
export function describeEachEngine(
  title: string,
  documents: readonly SearchDocument[],
  suite: (engine: EngineName, get: () => EngineUnderTest) => void,
  engines: readonly EngineName[] = ENGINES,
): void {
  for (const engine of engines) {
    describe.skipIf(engine === 'meilisearch' && isMeiliMissing)(`${title}: ${engine}`, () => {
      suite(engine, useEngine(engine, documents))
    })
  }
}

export function useEngine(engine: EngineName, documents: readonly SearchDocument[]): () => EngineUnderTest {
  const cleanup = new AsyncDisposableStack()
  let index: EngineUnderTest['index'] | null = null
  beforeAll(async () => {
    index = await (engine === 'postgres' ? openPostgres(cleanup) : openMeili(cleanup))
    for (let start = 0; start < documents.length; start += 500) {
      await index.upsert(documents.slice(start, start + 500))
    }
    await index.settled()
  })
  afterAll(() => cleanup.disposeAsync())
  return () => {
    if (!index) throw new Error('The engine was not opened')
    return { index, search: createSearch(index) }
  }
}

async function openPostgres(cleanup: AsyncDisposableStack): Promise<SearchIndex> {
  const database = await createTestDatabase()
  cleanup.defer(() => database.drop())
  const handle = openDatabase(database.url)
  cleanup.defer(() => handle.dispose())
  // Stands for the table of listings.
  const texts = new Map<string, readonly string[]>()
  const index = await openPostgresEngine(handle, null, undefined, async () => texts)
  const upsert: SearchIndex['upsert'] = async (documents) => {
    for (const { uid, description, post_titles: titles } of documents)
      texts.set(uid, [description, ...titles])
    await index.upsert(documents)
  }
  return { ...index, upsert }
}

async function openMeili(cleanup: AsyncDisposableStack): Promise<MeilisearchIndex> {
  const index = openMeilisearch(
    { url: meiliUrl, key: process.env['TEST_MEILI_KEY'] ?? null },
    `contract-${crypto.randomUUID()}`,
    MEILISEARCH_TEST_MS,
  )
  await index.rebuild(noBatches())
  cleanup.defer(async () => {
    await index.rebuild(noBatches())
  })
  return index
}

async function* noBatches(): AsyncGenerator<SearchDocument[]> {}

export function createSearch(index: SearchIndex): EngineUnderTest['search'] {
  return async (text, { withAdult = false, all = false, now = CATALOG_NOW } = {}) => {
    const sent = new URLSearchParams(text)
    const { query } = parseQuery(SearchRequest.parse(sent), withAdult, { now })
    return await index.search(all ? { ...query, offset: 0, limit: 10_000 } : query)
  }
}
