import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { ENGINES } from '../../../src/clients/search/search-engine.ts'
import { readSameWords } from '../../../src/domain/listings/everyday-words.ts'
import { parseQuery } from '../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../src/features/catalog/search/request.ts'
import { createRandom } from '../../../src/lib/random.ts'
import { MEILISEARCH_TEST_MS } from '../../helpers/engines/meilisearch.ts'
import { knownWordsOf } from '../../helpers/search/known-words.ts'
import { makeDocument } from '../../helpers/search/search-documents.ts'
import { compareSearch, makeCatalog, readCounts } from '../search-compare.ts'
import { describeEachEngine } from '../search-engines.ts'
import { inventQuestion, inventText } from '../search-questions.ts'
import { expectAnswer } from '../search-reference.ts'
import { expectFind } from './find-reference.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

const documents = [
  makeDocument({ name: 'Lantern', tagline: 'A light', developer: 'moss-jam', genres: ['puzzle'] }),
  makeDocument({ name: 'Lantern Keeper', tagline: 'On a rock', developer: 'moss-jam', os: ['android'] }),
  makeDocument({
    name: 'Harbour',
    developer: 'lantern-works',
    developer_name: 'Lantern Wörks',
    net: 'online',
  }),
  makeDocument({
    name: 'Quay',
    developer: 'ada',
    tags: ['lantern', 'sea'],
    tone: ['cozy'],
    languages: ['de', 'en'],
  }),
  makeDocument({ name: 'Pier', developer: 'ada', tagline: 'Sell a lantern', tags: ['co-op'] }),
  makeDocument({
    name: 'Reef',
    developer: 'ada',
    description: 'By the light of a lantern, keeper.',
    languages: ['de-AT'],
  }),
  makeDocument({ name: 'Wreck', developer: 'ada', tags: ['lantern'], health_penalty: 1 }),
  makeDocument({ name: 'Grave', genres: ['horror', 'puzzle'], tags: ['night'], inputs: ['gamepad'] }),
  makeDocument({ name: 'No Horror', genres: ['puzzle'], engines: ['godot'], session_bucket: '15m' }),
  makeDocument({ name: 'Rake', genres: ['tower-defense'], content_warnings: ['horror'] }),
  makeDocument({
    name: 'Deck',
    os: ['linux'],
    platforms: ['linux|x86_64'],
    tags: ['sci-fi', 'pixel-art'],
    asset_type: 'mod',
  }),
  makeDocument({
    name: 'Cliff',
    developer: 'eve',
    tagline: 'Keeper',
    description: 'It stands on a rock in the sea: a lantern, and its keeper.',
    tags: ['keeper', 'art', 'pixel'],
    published_at: 2,
  }),
  makeDocument({ name: 'Keeper of the Lantern', developer: 'eve', published_at: 1 }),
  makeDocument({
    name: 'Dock',
    developer: 'kim',
    os: ['macos'],
    description: 'A place for ships.',
    post_titles: ['Autumn update: new boats', 'Fresh paint'],
  }),
  makeDocument({ name: 'Tide', developer: 'bell-games', tone: ['cozy'], asset_type: 'mod', published_at: 9 }),
  makeDocument({ name: 'Machine', developer: 'zoe', tagline: 'A slow engine' }),
  makeDocument({ name: '星の灯台', developer: 'zoe', tagline: '海のゲーム', price_cents: 499 }),
  makeDocument({ name: '台湾の灯', developer: 'zoe', price_cents: 1500 }),
]
const OWN_GROUPS = [['glowing', 'lantern works']]
const context = {
  known: {
    ...knownWordsOf(documents),
    sameWords: readSameWords(OWN_GROUPS),
    isEngine: (slug: string) => slug === 'godot',
    isOfDeveloper: (word: string) => ['moss', 'lantern'].includes(word),
  },
}

describeEachEngine('what a person wants to find', documents, (engine, get) => {
  const search = async (find: string, others = '') => {
    const sent = new URLSearchParams(`${new URLSearchParams({ find }).toString()}${others}`)
    const { query } = parseQuery(SearchRequest.parse(sent), false, context)
    return await get().index.search(query)
  }
  const namesFor = async (find: string, others = '') =>
    (await search(find, others)).hits.map(
      ({ uid }) => documents.find((document) => document.uid === uid)?.name ?? uid,
    )

  beforeAll(async () => {
    const { index } = get()
    if ('writeSameWords' in index) await index.writeSameWords(context.known.sameWords)
  })

  test.each([
    ['a username', 'moss jam', ['Lantern', 'Lantern Keeper']],
    ['a username as one word', 'mossjam', ['Lantern', 'Lantern Keeper']],
    ['a developer’s name with a typo', 'lantern worksx', ['Harbour']],
    ['a developer’s name with its accents', 'lantern Wörks', ['Harbour']],
    ['no other name that begins so', 'worksmith', []],
    ['the other words of a group', 'glowing', ['Harbour']],
    ['a name that is not the username', 'works', ['Harbour']],
    ['a genre', 'puzzle', ['Grave', 'Lantern', 'No Horror']],
    ['more than one genre', 'puzzles', ['Grave', 'Lantern', 'No Horror']],
    ['a tone', 'cozy', ['Quay', 'Tide']],
    ['a tone by its other spelling', 'cosy', ['Quay', 'Tide']],
    ['a genre by its everyday name', 'creepy', ['Grave']],
    ['a developer’s name with a type in it', 'bell games', ['Tide']],
    ['the same in its order', '"bell games"', ['Tide']],
    ['a part of a tag', 'pixel', ['Cliff', 'Deck']],
    ['a tag of two words', 'pixel art', ['Deck']],
    ['a tag of two words as one', 'pixelart', ['Deck']],
    ['a tag by its other spelling', 'scifi', ['Deck']],
    ['a tag by its third spelling', 'science fiction', ['Deck']],
    ['a tag with a dash, without', 'coop', ['Pier']],
    ['an engine', 'godot', ['No Horror']],
    ['a way to play', 'gamepad', ['Grave']],
    ['a way to play by its everyday name', 'controller', ['Grave']],
    ['a type', 'mods', ['Deck', 'Tide']],
    ['a system by its everyday name', 'phone', ['Lantern Keeper']],
    ['a console', 'Steam Deck', ['Deck']],
    ['no system that is called alike', 'iphone', []],
    ['a system of three letters, and nothing that begins so', 'mac', ['Dock']],
    ['no beginning before what is left out', 'mach -puzzle', []],
    ['a session', 'short', ['No Horror']],
    ['playing together', 'multiplayer', ['Harbour']],
    ['words of different fields', 'cozy lantern', ['Quay']],
    ['a genre with a typo', 'puzle', ['Grave', 'Lantern', 'No Horror']],
    ['a beginning of a tone', 'lantern coz', ['Quay']],
    ['nothing where a word is nowhere', 'cozy horror', []],
    ['without a value', 'puzzle -horror', ['Lantern', 'No Horror']],
    ['without a warning', 'tower-defense -horror', []],
    ['without a tag', 'ada -co-op', ['Quay', 'Reef', 'Wreck']],
    ['without a developer', 'lantern -ada -eve -lantern-works', ['Lantern', 'Lantern Keeper']],
    ['without a system by its everyday name', 'moss -phone', ['Lantern']],
    ['without words that are no value', 'ada -reef', ['Pier', 'Quay', 'Wreck']],
    ['without a value after no', 'puzzle no horror', ['Lantern', 'No Horror']],
    ['without a value after without', 'tower-defense without horror', []],
    ['without a value after not', 'puzzle not horror', ['Lantern', 'No Horror']],
    ['a not before what is no value', 'not reef', []],
    ['what a developer made', 'by Moss Jam', ['Lantern', 'Lantern Keeper']],
    ['a by before others', 'light by', ['Reef']],
    ['words that lead to a value', 'puzzles with godot', ['No Horror']],
    ['such words before others', 'it stands on', ['Cliff']],
    ['what it may cost', 'zoe under $5', ['Machine', '星の灯台']],
    ['what it may cost at most', 'zoe less than 15', ['Machine', '台湾の灯', '星の灯台']],
    ['what it may cost in any amount', 'zoe under 10 dollars', ['Machine', '星の灯台']],
    ['what it may cost to the cent', 'zoe up to 4.98', ['Machine']],
    ['what is cheap', 'zoe cheap', ['Machine', '星の灯台']],
    ['no price in a number of something else', 'zoe under 10 minutes', []],
    ['a language', 'german', ['Quay', 'Reef']],
    ['a language by its own name', 'Deutsch', ['Quay', 'Reef']],
    ['a language with a typo', 'germann', ['Quay', 'Reef']],
    ['a language after in', 'lantern in german', ['Quay', 'Reef']],
    ['a language with the word for it', 'english language', ['Quay']],
    ['without a language', 'ada -german', ['Pier', 'Wreck']],
    ['what is supported', 'gamepad support', ['Grave']],
    ['how many play it', '2 players', ['Harbour']],
    ['characters of a script without spaces, in their order', '灯台', ['星の灯台']],
    ['the same with others', '星 海のゲーム', ['星の灯台']],
    ['one such character', '灯', ['台湾の灯', '星の灯台']],
    ['a name with a no in quotes', '"no horror"', ['No Horror']],
    ['a no before what is no value', 'no reef', []],
    ['words in their order', '"lantern keeper"', ['Lantern Keeper', 'Reef']],
    ['words of a tag in their order', '"pixel art"', ['Deck']],
    ['words of a developer in their order', '"lantern works"', ['Harbour']],
    ['words as they are', '"lanter"', []],
    ['a title of a post', 'autumn', ['Dock']],
    ['a beginning in a title of a post', 'boa', ['Dock']],
    ['a title of a post with a typo', 'autumm', ['Dock']],
    ['words of a name and of a title of a post', 'dock paint', ['Dock']],
    ['words of a title of a post in their order', '"new boats"', ['Dock']],
    ['no words of two titles', '"boats fresh"', []],
    ['no words of a description and a title', '"ships autumn"', []],
    ['without a title of a post', 'kim -autumn', []],
    ['quotes of other languages', '„lantern keeper“', ['Lantern Keeper', 'Reef']],
    [
      'a quote that is not closed',
      '"lantern keep',
      ['Cliff', 'Keeper of the Lantern', 'Lantern Keeper', 'Reef'],
    ],
  ])('%s: %s', async (_, find, names) => {
    expect((await namesFor(find)).toSorted()).toEqual(names)
  })

  test.each(['', '  ', '""', '-', '--', '- "', '!?'])(
    'without any word finds everything: %p',
    async (find) => {
      expect((await search(find)).total).toBe(documents.length)
    },
  )

  test('the whole name first, then name, developer, values, tagline, description, and launch problems last', async () => {
    expect(await namesFor('lantern')).toEqual([
      'Lantern',
      'Lantern Keeper',
      'Keeper of the Lantern',
      'Harbour',
      'Quay',
      'Pier',
      'Reef',
      'Cliff',
      'Wreck',
    ])
  })

  test('a type before developers whose names have its word', async () => {
    expect(await namesFor('cozy games')).toEqual(['Quay', 'Tide'])
  })

  test.each(['autumn', 'autumm', 'boa', 'dock paint'])('and not titles of posts by q: %s', async (q) => {
    expect((await get().search(new URLSearchParams({ q }).toString())).total).toBe(0)
  })

  test('with filters, counts and another order', async () => {
    const { facets, total } = await search('puzzle', '&genres=horror')
    expect(total).toBe(1)
    expect(readCounts({ engine, hits: [], total, facets })['genres']).toEqual({ puzzle: 3, horror: 1 })
    expect((await namesFor('lantern', '&sort=newest')).at(-1)).toBe('Keeper of the Lantern')
  })

  test('scores are between 0 and 1, and fall', async () => {
    const scores = (await search('lantern')).hits.slice(0, 7).map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((left, right) => right - left))
    for (const score of scores) expect(score).toBeWithin(0.0001, 1.0001)
  })
})

const catalog = makeCatalog('found', 800)
const large = {
  ...catalog,
  documents: catalog.documents.map((document, at) =>
    at % 4 === 0
      ? { ...document, post_titles: [`${catalog.words[at % 500]} ${catalog.words[at % 7]}`] }
      : document,
  ),
}
/** Everyday names and spellings have rules of their own. */
const words = [
  ...large.words,
  ...large.tags,
  'puzzle',
  'horror',
  'strategy',
  'godot',
  'windows',
  'offline',
  'relaxing',
].filter((word) => !readSameWords([]).has(word) && word !== 'no')

describeEachEngine(
  'what people want to find in a large catalog',
  large.documents,
  (_, get) => {
    test('is what stands on the listings, for 200 questions', async () => {
      const random = createRandom('find')
      for (let asked = 0; asked < 200; asked += 1) {
        const text = inventText(random, words)
        const others = random.chance(0.5) ? inventQuestion(random, large.tags) : ''
        const question = new URLSearchParams(`${others}&${new URLSearchParams({ find: text }).toString()}`)
        const expected = expectAnswer(large.documents, question.toString(), expectFind(large.documents, text))
        await compareSearch(get(), question.toString(), expected)
      }
    })
  },
  ENGINES.filter((engine) => engine === 'postgres'),
)
