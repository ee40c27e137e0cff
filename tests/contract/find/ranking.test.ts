import { expect, setDefaultTimeout, test } from 'bun:test'

import { readSameWords } from '../../../src/domain/listings/everyday-words.ts'
import { parseQuery } from '../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../src/features/catalog/search/request.ts'
import { MEILISEARCH_TEST_MS } from '../../helpers/engines/meilisearch.ts'
import { makeDocument } from '../../helpers/search/search-documents.ts'
import { describeEachEngine } from '../search-engines.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

/** Later ones were published later, so that they come first among equal ones. */
const documents = [
  makeDocument({ name: 'Steampunk and a Tavern', genres: ['puzzle'] }),
  makeDocument({ name: 'Brass & Barley', tags: ['tavern', 'steampunk', 'economy'] }),
  makeDocument({ name: 'Tavern Lights', tags: ['steampunk'] }),
  makeDocument({ name: 'Steampunk Night', tags: ['tavern'] }),
  makeDocument({ name: 'Snail Mail Express', tags: ['snails'], developer: 'slow-press' }),
  makeDocument({ name: 'Distant Snail' }),
  makeDocument({
    name: 'Moss & Stone',
    tags: ['textures'],
    tagline: 'Photographed textures',
    asset_type: 'game_asset',
  }),
  makeDocument({ name: 'Ruin', tags: ['textures'] }),
  makeDocument({ name: 'Parade of Ducks', tags: ['party'], description: 'A road and a pond.' }),
  makeDocument({ name: 'Ferry', tags: ['boats'] }),
  makeDocument({ name: 'Tea Room', tags: ['slow', 'press'] }),
  makeDocument({ name: 'Slow Press Simulator' }),
].map((document, at) => ({ ...document, published_at: 1_700_000_000_000 + at }))
const tags = new Set(documents.flatMap((document) => document.tags))
const known = {
  sameWords: readSameWords([]),
  isTag: (slug: string) => tags.has(slug),
  isEngine: () => false,
  languagesNamed: () => [],
  isOfDeveloper: () => false,
}

describeEachEngine('the order of what a person finds', documents, (_, get) => {
  const namesFor = async (find: string, others = {}) => {
    const { query } = parseQuery(SearchRequest.parse(new URLSearchParams({ find, ...others })), false, {
      known,
    })
    const { hits } = await get().index.search(query)
    return hits.map(({ uid }) => documents.find((document) => document.uid === uid)?.name ?? uid)
  }

  test('has names with every word first, then what every word describes, then names with one of them', async () => {
    const [first, second, ...others] = await namesFor('tavern steampunk')
    expect([first, second]).toEqual(['Steampunk and a Tavern', 'Brass & Barley'])
    expect(others.toSorted()).toEqual(['Steampunk Night', 'Tavern Lights'])
  })

  test('has what a developer made after names and before what is tagged with the words of the developer', async () => {
    expect(await namesFor('slow press')).toEqual(['Slow Press Simulator', 'Snail Mail Express', 'Tea Room'])
  })

  test('goes on from page to page', async () => {
    const pages = ['1', '2', '3', '4'].map(
      async (page) => await namesFor('tavern steampunk', { page, page_size: '1' }),
    )
    expect((await Promise.all(pages)).flat()).toEqual(await namesFor('tavern steampunk'))
  })

  test('prefers a name whose word is a tag besides', async () => {
    expect(await namesFor('snail game')).toEqual(['Snail Mail Express', 'Distant Snail'])
  })

  test('prefers a tag whose word stands in the tagline besides', async () => {
    expect(await namesFor('textures')).toEqual(['Moss & Stone', 'Ruin'])
  })

  test.each([
    ['snail', ['Distant Snail', 'Snail Mail Express']],
    ['snails', ['Distant Snail', 'Snail Mail Express']],
    ['boat game', ['Ferry']],
    ['parties', ['Parade of Ducks']],
    ['puzzles', ['Steampunk and a Tavern']],
  ])('knows singular and plural: %s', async (find, names) => {
    expect((await namesFor(find)).toSorted()).toEqual(names)
  })
})
