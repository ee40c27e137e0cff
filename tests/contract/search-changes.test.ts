import { expect, setDefaultTimeout, test } from 'bun:test'

import { parseQuery } from '../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../src/features/catalog/search/request.ts'
import { MEILISEARCH_TEST_MS } from '../helpers/engines/meilisearch.ts'
import { makeDocument } from '../helpers/search/search-documents.ts'
import { describeEachEngine } from './search-engines.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

describeEachEngine('the documents of an engine', [], (_, get) => {
  async function uidsFor(query: string, withAdult = false): Promise<string[]> {
    await get().index.settled()
    return (await get().search(query, { withAdult })).hits.map(({ uid }) => uid)
  }

  test('are none at first', async () => {
    const { hits, total, facets } = await get().search('q=anything&genres=puzzle')
    expect({ hits, total }).toEqual({ hits: [], total: 0 })
    expect(Object.values(facets).flat()).toEqual([])
  })

  test('are replaced whole: what a listing no longer says does not find it', async () => {
    const { index } = get()
    const document = makeDocument({
      name: 'Quagmire',
      tags: ['mud'],
      genres: ['puzzle'],
      players_min: 1,
      players_max: 2,
    })
    await index.upsert([document])
    for (const query of ['q=quagmire', 'tags=mud', 'genres=puzzle', 'players=2', 'exclude_genres=rpg']) {
      expect(await uidsFor(query)).toContain(document.uid)
    }
    await index.upsert([
      { ...document, name: 'Swamp', tags: ['reed'], genres: ['rpg'], players_min: 3, players_max: 3 },
    ])
    for (const query of ['q=quagmire', 'tags=mud', 'genres=puzzle', 'players=2', 'exclude_genres=rpg']) {
      expect(await uidsFor(query)).not.toContain(document.uid)
    }
    for (const query of ['q=swamp', 'tags=reed', 'genres=rpg', 'players=3']) {
      expect(await uidsFor(query)).toContain(document.uid)
    }
  })

  test('have their newest price, also within a band', async () => {
    const { index } = get()
    const document = makeDocument({ name: 'Penny', price_cents: 600 })
    await index.upsert([document])
    expect(await uidsFor('find=penny+under+8')).toEqual([document.uid])
    await index.upsert([{ ...document, price_cents: 900 }])
    expect(await uidsFor('find=penny+under+8')).toEqual([])
    expect(await uidsFor('find=penny+under+10')).toEqual([document.uid])
  })

  test('leave counts with them when they are removed, and come back', async () => {
    const { index } = get()
    const document = makeDocument({ name: 'Ephemeral', tone: ['weird'] })
    await index.upsert([document])
    expect(await uidsFor('tone=weird')).toEqual([document.uid])
    await index.remove([document.uid])
    expect(await uidsFor('tone=weird')).toEqual([])
    expect(await uidsFor('q=ephemeral')).toEqual([])
    expect((await get().search('q=ephemeral')).facets.tone ?? []).toEqual([])
    await index.upsert([document])
    expect(await uidsFor('q=ephemeral')).toEqual([document.uid])
  })

  test('may be removed twice, or without having been there', async () => {
    await get().index.remove([crypto.randomUUID()])
    await get().index.remove([])
    await get().index.upsert([])
  })

  test('that are adult are found by those who want them', async () => {
    const document = makeDocument({ name: 'Aubergine', adult: true })
    await get().index.upsert([document])
    expect(await uidsFor('q=aubergine')).toEqual([])
    expect(await uidsFor('q=aubergine', true)).toEqual([document.uid])
    expect((await get().search('q=aubergine')).total).toBe(0)
  })

  test('are found by their uids, among those that are there and together with other filters', async () => {
    const { index } = get()
    const documents = ['Quartz', 'Quince', 'Quiver'].map((name, at) =>
      makeDocument({ name, adult: at === 2 }),
    )
    await index.upsert(documents)
    await index.settled()
    const [first = '', second = '', adult = ''] = documents.map(({ uid }) => uid)
    const among = async (uids: readonly string[], query = '') => {
      const sent = new URLSearchParams(query)
      const asked = parseQuery(SearchRequest.parse(sent), false, { among: [uids] }).query
      const { hits, total } = await index.search(asked)
      expect(total).toBe(hits.length)
      return hits.map(({ uid }) => uid).toSorted()
    }
    expect(await among([second, first, crypto.randomUUID()])).toEqual([first, second].toSorted())
    expect(await among([first, second], 'q=quince')).toEqual([second])
    expect(await among([adult])).toEqual([])
    expect(await among([])).toEqual([])
    await index.remove([first])
    await index.settled()
    expect(await among([first, second])).toEqual([second])
  })

  test('are found once, however often they are written at the same time', async () => {
    const { index } = get()
    const documents = Array.from({ length: 8 }, (_, at) =>
      makeDocument({ name: 'Simultaneous', tagline: `take ${at}` }),
    )
    await Promise.all([...documents, ...documents].map((document) => index.upsert([document])))
    expect((await uidsFor('q=simultaneous')).toSorted()).toEqual(documents.map(({ uid }) => uid).toSorted())
  })

  test('are paged without gaps or repetitions', async () => {
    const { index } = get()
    const documents = Array.from({ length: 23 }, (_, at) =>
      makeDocument({ name: 'Paginated', published_at: at }),
    )
    await index.upsert(documents)
    const newestFirst = documents.map(({ uid }) => uid).toReversed()
    for (const page_size of [5, 7, 50]) {
      const pages: string[][] = []
      for (let page = 1; page <= Math.ceil(23 / page_size); page += 1) {
        pages.push(await uidsFor(`q=paginated&page=${page}&page_size=${page_size}`))
      }
      expect(pages.flat()).toEqual(newestFirst)
    }
    expect(await uidsFor('q=paginated&page=99')).toEqual([])
    expect(await uidsFor('q=paginated&page=1000000')).toEqual([])
    expect((await get().search('q=paginated&page=1000000')).total).toBe(23)
  })
})
