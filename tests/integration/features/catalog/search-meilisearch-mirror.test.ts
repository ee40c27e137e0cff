import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'

import { Meilisearch } from 'meilisearch'

import { type MeilisearchIndex, openMeilisearch } from '../../../../src/clients/search/meilisearch/engine.ts'
import { openPostgresEngine } from '../../../../src/clients/search/postgres/engine.ts'
import type { SearchIndex, SearchQuery } from '../../../../src/clients/search/search-engine.ts'
import { loadSearchLag } from '../../../../src/clients/search/search-lag.ts'
import { type DatabaseHandle, openDatabase } from '../../../../src/db/client.ts'
import { searchMirrors } from '../../../../src/db/schema/search.ts'
import type { SearchDocument } from '../../../../src/domain/listings/search-document.ts'
import {
  findMirrorVersion,
  insertMirror,
  isMirrorCurrent,
  markMirrorsBehind,
} from '../../../../src/features/catalog/search/mirror-queries.ts'
import {
  type ReadDocuments,
  rebuildMirror,
  syncDocuments,
} from '../../../../src/features/catalog/search/mirror.ts'
import { createTestDatabase, type TestDatabase } from '../../../helpers/database.ts'
import { MEILISEARCH_TEST_MS } from '../../../helpers/engines/meilisearch.ts'
import { isX64Slow } from '../../../helpers/engines/x64-programs.ts'
import { makeDocument } from '../../../helpers/search/search-documents.ts'

const url = process.env.TEST_MEILI_URL ?? ''
const key = process.env.TEST_MEILI_KEY || null
const isMissing = url === '' && process.env.REQUIRE_ENGINES !== '1'

setDefaultTimeout(MEILISEARCH_TEST_MS)

const ALL: SearchQuery = {
  text: '',
  filter: { kind: 'all', of: [] },
  tags: [],
  sort: 'newest',
  offset: 0,
  limit: 50,
  facets: [],
}

describe.skipIf(isMissing)('Meilisearch as a mirror of the documents in Postgres', () => {
  const client = new Meilisearch({ host: url, apiKey: key ?? '' })
  let template: TestDatabase
  let database: DatabaseHandle
  let postgres: SearchIndex
  let name: string
  let index: MeilisearchIndex
  /** Stands for the tables that documents are made of. */
  let listings: Map<string, SearchDocument>
  const readListings: ReadDocuments = async (_, uids) => uids.flatMap((uid) => listings.get(uid) ?? [])

  beforeEach(async () => {
    template = await createTestDatabase()
    database = openDatabase(template.url)
    postgres = await openPostgresEngine(database)
    name = `test_${crypto.randomUUID()}`
    index = openMeilisearch({ url, key }, name, MEILISEARCH_TEST_MS)
    listings = new Map()
  })
  afterEach(async () => {
    await client.deleteIndex(name).waitTask({ timeout: MEILISEARCH_TEST_MS })
    await database.dispose()
    await template.drop()
  })

  const follow = () => syncDocuments(database, index, readListings)
  const names = async () => {
    const { hits } = await index.search(ALL)
    return hits.map(({ uid }) => listings.get(uid)?.name ?? uid).toSorted()
  }

  async function publish(...documents: SearchDocument[]): Promise<void> {
    for (const document of documents) listings.set(document.uid, document)
    await postgres.upsert(documents)
  }

  async function unpublish({ uid }: SearchDocument): Promise<void> {
    listings.delete(uid)
    await postgres.remove([uid])
  }

  test('an engine that knows nothing is told everything', async () => {
    await publish(makeDocument({ name: 'One' }), makeDocument({ name: 'Two' }))
    expect(await isMirrorCurrent(database.db, 'meilisearch', 60)).toBe(false)
    await follow()
    expect(await names()).toEqual(['One', 'Two'])
    expect(await isMirrorCurrent(database.db, 'meilisearch', 60)).toBe(true)
  })

  test('an empty catalog is an empty index', async () => {
    await follow()
    expect(await names()).toEqual([])
    expect(await isMirrorCurrent(database.db, 'meilisearch', 60)).toBe(true)
  })

  test('changes are sent, and what is gone leaves', async () => {
    const [changed, gone] = [makeDocument({ name: 'Old' }), makeDocument({ name: 'Gone' })]
    await publish(changed, gone)
    await follow()
    await publish({ ...changed, name: 'New' }, makeDocument({ name: 'Added' }))
    await unpublish(gone)
    await follow()
    expect(await names()).toEqual(['Added', 'New'])
  })

  test('more changes than are sent at a time all arrive', async () => {
    await follow()
    // They are sent 500 at a time.
    const count = isX64Slow() ? 501 : 2300
    await publish(...Array.from({ length: count }, (_, at) => makeDocument({ name: `Listing ${at}` })))
    await follow()
    expect((await index.search(ALL)).total).toBe(count)
  })

  test('what changes while a new index is filled is in it in the end', async () => {
    const [early, gone] = [makeDocument({ name: 'Early' }), makeDocument({ name: 'Gone' })]
    await publish(early, gone)
    await follow()
    const late = makeDocument({ name: 'Late' })
    let isFilled = false
    await rebuildMirror(database, index, async (db, uids) => {
      const documents = await readListings(db, uids)
      if (!isFilled) {
        isFilled = true
        await unpublish(gone)
        await publish({ ...early, name: 'Changed' }, late)
        await follow()
        expect(await names()).toEqual(['Changed', 'Late'])
      }
      return documents
    })
    await follow()
    expect(await names()).toEqual(['Changed', 'Late'])
  })

  test('an engine that lost its data is built anew', async () => {
    await publish(makeDocument({ name: 'One' }))
    await follow()
    await client.deleteIndex(name).waitTask({ timeout: MEILISEARCH_TEST_MS })
    await follow()
    expect(await names()).toEqual(['One'])
  })

  test('what it did not take is sent again', async () => {
    await follow()
    const bad = makeDocument({ name: 'Bad' })
    await publish(bad)
    const refused: ReadDocuments = async () => [{ ...bad, uid: 'spaces are refused' }]
    expect(syncDocuments(database, index, refused)).rejects.toThrow('Meilisearch')
    expect(await findMirrorVersion(database.db, 'meilisearch')).toBe(0)
    await follow()
    expect(await names()).toEqual(['Bad'])
  })

  test('several at once do not get into each other’s way', async () => {
    await publish(makeDocument({ name: 'One' }))
    await Promise.all([follow(), follow(), follow()])
    await publish(makeDocument({ name: 'Two' }))
    await Promise.all([follow(), rebuildMirror(database, index, readListings), follow()])
    await follow()
    expect(await names()).toEqual(['One', 'Two'])
  })

  test('it is behind from the first change it was not told until it knows all', async () => {
    const { db } = database
    await insertMirror(db, 'meilisearch')
    await follow()
    expect(await loadSearchLag(db, 'meilisearch')).toBe(0)
    await publish(makeDocument())
    await markMirrorsBehind(db)
    // The time is rounded to a millisecond, also up.
    await Bun.sleep(2)
    const lag = await loadSearchLag(db, 'meilisearch')
    expect(lag).toBeGreaterThan(0)
    await markMirrorsBehind(db)
    expect(await loadSearchLag(db, 'meilisearch')).toBeGreaterThan(lag)
    expect(await isMirrorCurrent(db, 'meilisearch', 60)).toBe(true)
    expect(await isMirrorCurrent(db, 'meilisearch', 0)).toBe(false)
    expect(await loadSearchLag(db, 'postgres')).toBe(0)
    await follow()
    expect(await loadSearchLag(db, 'meilisearch')).toBe(0)
    // Not every change of a listing changes its document.
    await markMirrorsBehind(db)
    await follow()
    expect(await loadSearchLag(db, 'meilisearch')).toBe(0)
  })

  test('changes that come while others are told do not make it look long behind', async () => {
    const { db } = database
    await follow()
    await publish(makeDocument())
    await db.update(searchMirrors).set({ behindSince: new Date(Date.now() - 3_600_000) })
    await syncDocuments(database, index, async (_, uids) => {
      if (listings.size === 1) await publish(makeDocument())
      return await readListings(db, uids)
    })
    expect(await loadSearchLag(db, 'meilisearch')).toBeLessThan(60)
    await follow()
    expect((await index.search(ALL)).total).toBe(2)
  })
})
