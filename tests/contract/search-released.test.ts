import { expect, setDefaultTimeout, test } from 'bun:test'

import { MEILISEARCH_TEST_MS } from '../helpers/engines/meilisearch.ts'
import { CATALOG_NOW, makeDocument } from '../helpers/search/search-documents.ts'
import { readCounts } from './search-compare.ts'
import { describeEachEngine } from './search-engines.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const publishedAgo = (ms: number) => makeDocument({ tags: ['aged'], published_at: CATALOG_NOW - ms })
const documents = [publishedAgo(DAY), publishedAgo(31 * DAY), publishedAgo(366 * DAY)]

describeEachEngine('what was released in the last weeks', documents, (_, get) => {
  test.each([
    ['on the last day that counts', 0, { month: 2, year: 3 }],
    ['a minute later', MINUTE, { month: 1, year: 2 }],
    ['a month later', 31 * DAY, { month: 0, year: 2 }],
    ['a year later', 367 * DAY, { month: 0, year: 0 }],
  ])('is counted %s, for one and the same search', async (_title, later, expected) => {
    const now = CATALOG_NOW + later
    // Twice, so that the second answer comes from a cache.
    for (let asked = 0; asked < 2; asked += 1) {
      for (const query of ['tags=aged', 'released=month', 'released=year']) {
        const counts = readCounts(await get().search(query, { now }))['released'] ?? {}
        expect({ query, counts }).toEqual({
          query,
          counts: Object.fromEntries(Object.entries(expected).filter(([, count]) => count > 0)),
        })
      }
      for (const [value, count] of Object.entries(expected)) {
        expect((await get().search(`released=${value}`, { now })).total).toBe(count)
      }
    }
  })

  test('changes with the listing', async () => {
    const { index, search } = get()
    const fresh = makeDocument({ published_at: CATALOG_NOW - DAY })
    const total = async () => (await search('released=month')).total
    const before = await total()
    const steps = [
      [CATALOG_NOW - DAY, 1],
      [CATALOG_NOW - 40 * DAY, 0],
      [CATALOG_NOW - 2 * DAY, 1],
    ] as const
    for (const [published_at, more] of steps) {
      await index.upsert([{ ...fresh, published_at }])
      await index.settled()
      expect(await total()).toBe(before + more)
    }
    await index.remove([fresh.uid])
    await index.settled()
    expect(await total()).toBe(before)
  })
})
