import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'

import { Meilisearch } from 'meilisearch'

import { type MeilisearchIndex, openMeilisearch } from '../../../../src/clients/search/meilisearch/engine.ts'
import type { SearchFilter, SearchQuery } from '../../../../src/clients/search/search-engine.ts'
import { UnsupportedQuery } from '../../../../src/clients/search/unsupported-query.ts'
import { readSameWords } from '../../../../src/domain/listings/everyday-words.ts'
import type { SearchDocument } from '../../../../src/domain/listings/search-document.ts'
import { parseQuery } from '../../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../../src/features/catalog/search/request.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { MEILISEARCH_TEST_MS } from '../../../helpers/engines/meilisearch.ts'
import { makeDocument } from '../../../helpers/search/search-documents.ts'
import { waitFor } from '../../../helpers/wait.ts'

const url = process.env.TEST_MEILI_URL ?? ''
const key = process.env.TEST_MEILI_KEY || null
const isMissing = url === '' && process.env.REQUIRE_ENGINES !== '1'

setDefaultTimeout(MEILISEARCH_TEST_MS)

const EVERYTHING: SearchFilter = { kind: 'all', of: [] }
const hasTags = (...values: string[]): SearchFilter => ({ kind: 'has', field: 'tags', values })

let count = 0

/** Each is newer than the one before. */
function document(values: Partial<SearchDocument> = {}): SearchDocument {
  count += 1
  const base = { uid: createUid(), name: 'Lighthouse', published_at: 1_700_000_000_000 + count }
  return makeDocument({ ...base, ...values })
}

function query(values: Partial<SearchQuery> = {}): SearchQuery {
  const page = { offset: 0, limit: 20 }
  return { text: '', filter: EVERYTHING, tags: [], sort: 'relevance', ...page, facets: [], ...values }
}

async function* batchesOf(...batches: SearchDocument[][]) {
  yield* batches
}

describe.skipIf(isMissing)('Meilisearch', () => {
  const client = new Meilisearch({ host: url, apiKey: key ?? '' })
  const opened: string[] = []
  /** An index of its own for every test, with these documents. */
  async function openWith(...documents: SearchDocument[]): Promise<MeilisearchIndex> {
    const index = openNew()
    await index.rebuild(batchesOf(documents))
    return index
  }
  function openNew(): MeilisearchIndex {
    const name = `test_${crypto.randomUUID()}`
    opened.push(name)
    return openMeilisearch({ url, key }, name, MEILISEARCH_TEST_MS)
  }
  const find = async (index: MeilisearchIndex, values: Partial<SearchQuery>) =>
    (await index.search(query(values))).hits.map((hit) => hit.uid)

  afterAll(() =>
    Promise.all(opened.map((name) => client.deleteIndex(name).waitTask({ timeout: MEILISEARCH_TEST_MS }))),
  )

  describe('values and texts', () => {
    const odd = ['a"b', "it's", 'ends\\', '\\"', 'x" OR adult = true OR tags = "x', '] OR adult = true']
    let index: MeilisearchIndex
    const documents = odd.map((tag) => document({ tags: [tag] }))
    beforeAll(async () => {
      index = await openWith(...documents, document({ adult: true, tags: ['plain'] }))
    })

    test.each(odd.map((tag, at) => [tag, at] as const))('a value stays a value: %j', async (tag, at) => {
      expect(await find(index, { filter: hasTags(tag) })).toEqual([documents[at]?.uid ?? ''])
      expect(await find(index, { filter: hasTags(tag, 'nowhere') })).toHaveLength(1)
      expect((await index.search(query({ filter: { kind: 'not', of: hasTags(tag) } }))).total).toBe(
        odd.length,
      )
    })

    test.each([['"'], ['\\'], ['-lighthouse'], ['"lighthouse house"'], ['lighthouse -'], ["'; --"]])(
      'a text is words and nothing else: %s',
      async (text) => {
        const words = text.includes('lighthouse house') ? 0 : odd.length + 1
        expect((await index.search(query({ text }))).total).toBe(words)
      },
    )

    test('a text of more words than it looks at is left to another engine', async () => {
      const ten = 'one two three four five six seven eight nine lighthouse'
      const index = await openWith(document({ tagline: ten }))
      expect((await index.search(query({ text: ten }))).total).toBe(1)
      expect(index.search(query({ text: `${ten} nowhere` }))).rejects.toBeInstanceOf(UnsupportedQuery)
    })

    test('words in camel case are one word, in texts and queries alike', async () => {
      const camel = document({ name: 'PixelForge' })
      const index = await openWith(camel)
      for (const text of ['pixelforge', 'PixelForge', 'pixelfo', 'PIXELF']) {
        expect(await find(index, { text })).toEqual([camel.uid])
      }
    })
  })

  describe('ranking', () => {
    test('launch problems come last, then the text counts, then more matched tags, then the newest', async () => {
      const old = document({ name: 'Star', tags: ['cozy'] })
      const both = document({ name: 'Star', tags: ['cozy', 'space', 'other'] })
      const lesser = document({ tagline: 'Star', tags: ['cozy', 'space'] })
      const newer = document({ name: 'Star', tags: ['space'] })
      const troubled = document({ name: 'Star', tags: ['cozy', 'space'], health_penalty: 1 })
      const index = await openWith(troubled, lesser, old, both, newer)
      const tags = ['cozy', 'space']
      const filter = hasTags(...tags)
      const expected = [both, newer, old, lesser, troubled].map(({ uid }) => uid)
      expect(await find(index, { text: 'star', filter, tags })).toEqual(expected)
      for (let offset = 0; offset < expected.length; offset += 1) {
        const page = await index.search(query({ text: 'star', filter, tags, offset, limit: 2 }))
        expect(page.hits.map((hit) => hit.uid)).toEqual(expected.slice(offset, offset + 2))
        expect(page.total).toBe(5)
      }
      expect(await find(index, { filter, tags })).toEqual(
        [lesser, both, newer, old, troubled].map(({ uid }) => uid),
      )
      expect(await find(index, { text: 'star', filter, tags, sort: 'newest' })).toEqual(
        [troubled, newer, lesser, both, old].map(({ uid }) => uid),
      )
    })

    test('more tags than it can be asked about apart are left to another engine', async () => {
      const index = await openWith(document())
      const tags = Array.from({ length: 7 }, (_, at) => `tag-${at}`)
      expect(index.search(query({ tags }))).rejects.toBeInstanceOf(UnsupportedQuery)
      expect((await index.search(query({ tags, sort: 'newest' }))).total).toBe(1)
    })

    test('of equally common values the first in the alphabet are shown', async () => {
      const tags = Array.from({ length: 120 }, (_, at) => `tag-${String(at).padStart(3, '0')}`)
      const index = await openWith(document({ tags }), document({ tags: ['tag-119', 'zebra'] }))
      const { facets } = await index.search(query({ facets: [{ facet: 'tags', filter: EVERYTHING }] }))
      expect(facets.tags).toHaveLength(50)
      expect(facets.tags?.[0]).toEqual({ value: 'tag-119', count: 2 })
      expect(facets.tags?.slice(1).map(({ value }) => value)).toEqual(tags.slice(0, 49))
    })
  })

  describe('the index', () => {
    test('is built once, and known to be built as long as its settings are ours', async () => {
      const index = openNew()
      expect(await index.isBuilt()).toBe(false)
      await index.rebuild(batchesOf([document()]))
      expect(await index.isBuilt()).toBe(true)
      await client
        .index(opened.at(-1) ?? '')
        .updateSearchableAttributes(['name'])
        .waitTask({ timeout: MEILISEARCH_TEST_MS })
      expect(await index.isBuilt()).toBe(false)
    })

    test('is rebuilt beside the old one: searches find the old documents until the new ones are there', async () => {
      const [kept, removed, added] = [document(), document(), document()]
      const index = await openWith(kept, removed)
      let during: string[] = []
      await index.rebuild(batchesOf([kept], [added]), async (swap) => {
        during = await find(index, {})
        await swap()
      })
      expect(during).toEqual([removed.uid, kept.uid])
      expect(await find(index, {})).toEqual([added.uid, kept.uid])
      const { results } = await client.getRawIndexes({ limit: 1000 })
      expect(results.filter(({ uid }) => uid === `${opened.at(-1)}_next`)).toEqual([])
    })

    test('an interrupted rebuild does not get in the way of the next one', async () => {
      const [first, second] = [document(), document()]
      const index = await openWith(first)
      async function* interrupted() {
        yield [document()]
        throw new Error('killed')
      }
      expect(index.rebuild(interrupted())).rejects.toThrow('killed')
      expect(await find(index, {})).toEqual([first.uid])
      await index.rebuild(batchesOf([second]))
      expect(await find(index, {})).toEqual([second.uid])
    })

    test('documents are replaced whole and removed', async () => {
      const [changed, removed] = [document({ tags: ['old'] }), document()]
      const index = await openWith(changed, removed)
      await index.upsert([{ ...changed, tags: ['new'] }])
      await index.remove([removed.uid, createUid()])
      await index.settled()
      expect(await find(index, { filter: hasTags('new') })).toEqual([changed.uid])
      expect(await find(index, { filter: hasTags('old') })).toEqual([])
      expect((await index.search(query())).total).toBe(1)
    })

    test('what it takes but cannot do is told by whoever waits for it', async () => {
      const index = await openWith()
      await index.upsert([document({ uid: 'no uid: spaces are refused' })])
      expect(index.settled()).rejects.toThrow('Meilisearch')
    })
  })

  test('a key it does not know is a failure', async () => {
    const index = openMeilisearch({ url, key: 'a-wrong-key-that-is-long-enough' }, 'test_wrong_key')
    expect(index.search(query())).rejects.toThrow()
    expect(index.isBuilt()).rejects.toThrow()
  })

  test('leaves words of the operators to another engine until it has them', async () => {
    const tea = document({ name: 'Tea' })
    const index = await openWith(tea, document({ name: 'Other' }))
    const groups = readSameWords([['brew', 'tea']])
    const { words } = parseQuery(SearchRequest.parse([['find', 'brew']]), false, {
      known: {
        sameWords: groups,
        isTag: () => false,
        isEngine: () => false,
        languagesNamed: () => [],
        isOfDeveloper: () => false,
      },
    })
    const asked = words ? { find: words.find } : {}
    expect(find(index, asked)).rejects.toThrow(UnsupportedQuery)
    await index.writeSameWords(groups)
    const found = await waitFor('the new words', () => find(index, asked).catch(() => null))
    expect(found).toEqual([tea.uid])
    expect(await find(index, { text: 'brew' })).toEqual([])
    expect(await index.isBuilt()).toBe(true)
  })
})
