import { expect, setDefaultTimeout, test } from 'bun:test'

import { MEILISEARCH_TEST_MS } from '../helpers/engines/meilisearch.ts'
import { makeDocument } from '../helpers/search/search-documents.ts'
import { describeEachEngine } from './search-engines.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

const documents = [
  makeDocument({
    name: 'Lantern Keeper',
    tagline: 'Keep the light burning',
    description: 'A quiet game about a lighthouse on a rock.',
  }),
  makeDocument({
    name: 'Harbour Lights',
    tagline: 'Sell lanterns to sailors',
    description: 'Trade by the sea.',
  }),
  makeDocument({
    name: 'Moss',
    tagline: 'A tiny garden',
    description: 'Grow moss on a stone by the light of a lantern.',
  }),
  makeDocument({ name: 'Broken Lantern', tagline: 'It does not start', health_penalty: 1 }),
  makeDocument({ name: 'Café Müller', tagline: 'Brew a cup', description: 'Serve guests in Zürich.' }),
  makeDocument({ name: 'Señor Ñandú', tagline: 'Run, bird, run' }),
  makeDocument({ name: 'Ghost-Train Express', tagline: 'All aboard' }),
  makeDocument({ name: 'Don’t Blink', tagline: 'Statues move' }),
  makeDocument({ name: '2048 Reloaded', tagline: 'Numbers again' }),
  makeDocument({ name: '星の灯台', tagline: '静かなゲーム' }),
  makeDocument({ name: 'Submarine Commander', tagline: 'Dive' }),
  makeDocument({ name: 'Twin Peaks', tags: ['cozy'], published_at: 3 }),
  makeDocument({ name: 'Twin Peaks', tags: ['cozy', 'snow'], published_at: 2 }),
  makeDocument({ name: 'Twin Peaks', tags: ['snow'], published_at: 4 }),
]

const LANTERNS = ['Broken Lantern', 'Harbour Lights', 'Lantern Keeper', 'Moss']

describeEachEngine('a searched text', documents, (_, get) => {
  async function namesFor(q: string, others = ''): Promise<string[]> {
    const { hits } = await get().search(`${new URLSearchParams({ q }).toString()}${others}`)
    return hits.map(({ uid }) => documents.find((document) => document.uid === uid)?.name ?? uid)
  }

  test.each([
    ['one word, wherever it stands', 'lantern', LANTERNS],
    ['needs every word', 'lantern keeper', ['Lantern Keeper']],
    ['needs every word, one that nobody has included', 'lantern xylophone', []],
    ['does not care for the order of words', 'keeper lantern', ['Lantern Keeper']],
    ['finds words in different places', 'garden lantern', ['Moss']],
    ['does not care for capitals', 'LANTERN kEEPER', ['Lantern Keeper']],
    ['takes the last word as a beginning', 'lant', LANTERNS],
    ['takes the last word as a beginning, however short', 'keeper l', ['Lantern Keeper']],
    ['takes other words as they are', 'lant keeper', []],
    ['forgives two letters swapped', 'lantren', LANTERNS],
    ['forgives a letter that is missing', 'lanern', LANTERNS],
    ['forgives a letter too many', 'lanterrn keeper', ['Lantern Keeper']],
    ['forgives no second typo in words of seven letters', 'lentren keeper', []],
    ['forgives one wrong letter', 'lentern keeper', ['Lantern Keeper']],
    ['forgives two typos in long words', 'submerone', ['Submarine Commander']],
    ['forgives no typos in short words', 'mass', []],
    ['forgives typos in several words', 'lentern keepar', ['Lantern Keeper']],
    ['forgives a typo in the beginning of a word', 'comnand', ['Submarine Commander']],
    ['finds accents without them', 'cafe muller', ['Café Müller']],
    ['finds accents with them', 'CAFÉ MÜLLER', ['Café Müller']],
    ['finds plain letters with accents', 'cáfè', ['Café Müller']],
    ['drops accents in descriptions', 'zurich', ['Café Müller']],
    ['drops the tilde', 'nandu senor', ['Señor Ñandú']],
    ['takes dashes for spaces', 'ghost train', ['Ghost-Train Express']],
    ['takes spaces for dashes', 'ghost-train', ['Ghost-Train Express']],
    ['takes apostrophes for spaces', "don't blink", ['Don’t Blink']],
    ['knows numbers', '2048', ['2048 Reloaded']],
    ['knows scripts without spaces', '灯台', ['星の灯台']],
    ['ignores signs', '  "lantern" -keeper!  ', ['Lantern Keeper']],
    ['is joined from both names', 'lantern&search=keeper', ['Lantern Keeper']],
  ])('%s: %s', async (_name, q, names) => {
    const [text = '', others] = q.split('&')
    const found = await namesFor(text, others === undefined ? '' : `&${others}`)
    expect(found.toSorted()).toEqual(names)
  })

  test.each(['', ' ', '!?', '…'])('without any word finds everything: %p', async (q) => {
    expect((await get().search(new URLSearchParams({ q }).toString())).total).toBe(documents.length)
  })

  test('name weighs most, then tagline, then description; launch problems come last', async () => {
    expect(await namesFor('lantern')).toEqual(['Lantern Keeper', 'Harbour Lights', 'Moss', 'Broken Lantern'])
  })

  test('the order can be another one', async () => {
    const found = await namesFor('lantern', '&sort=newest')
    expect(found.toSorted()).toEqual(LANTERNS)
  })

  test('more matched tags rank first among equals, then the newest', async () => {
    const { hits } = await get().search('q=twin+peaks&tags=cozy,snow')
    const tags = hits.map(({ uid }) => documents.find((document) => document.uid === uid)?.tags)
    expect(tags).toEqual([['cozy', 'snow'], ['snow'], ['cozy']])
  })

  test('scores are between 0 and 1, and fall', async () => {
    const { hits } = await get().search('q=lantern')
    const scores = hits.slice(0, 3).map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((left, right) => right - left))
    for (const score of scores) expect(score).toBeWithin(0.0001, 1.0001)
    expect((await get().search('')).hits.every(({ score }) => score === 0)).toBe(true)
  })

  test('counts are over what the text finds', async () => {
    const { facets, total } = await get().search('q=twin&tags=snow')
    expect(total).toBe(2)
    expect(facets.tags).toEqual([
      { value: 'cozy', count: 2 },
      { value: 'snow', count: 2 },
    ])
    expect(facets.asset_type).toEqual([{ value: 'game', count: 2 }])
  })
})
