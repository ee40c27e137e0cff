import { beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { NOTHING_FOLLOWED } from '../../../../../src/domain/follows.ts'
import type { MissedSearch, Suggestions } from '../../../../../src/features/catalog/search/model.ts'
import { findReindex } from '../../../../../src/features/catalog/search/reindex-queries.ts'
import { continueReindex } from '../../../../../src/features/catalog/search/reindex.ts'
import { openCatalogSearch } from '../../../../../src/features/catalog/search/service.ts'
import type { Paged } from '../../../../../src/lib/paging.ts'
import { insertBuild, insertFile, pointChannel } from '../../../../helpers/builds.ts'
import { bearerOf, countStatements, watchStatements } from '../../../../helpers/catalog.ts'
import { readData } from '../../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../../helpers/listings.ts'
import { signUpOperator } from '../../../../helpers/operators.ts'
import { type Person, randomAddress, signUp } from '../../../../helpers/people.ts'
import { postsPath, writePost } from '../../../../helpers/posts.ts'
import { indexNow, namesOf, searchFor } from '../../../../helpers/search/search.ts'
import { useStore } from '../../../../helpers/store.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let operator: Person

async function insertRunning(values: Partial<GameRow>, os: 'android' | 'linux', arch: 'arm64' | 'x86_64') {
  const game = await insertPublicGame(server, owner, values)
  const build = await insertBuild(server, game.uid, { os, arch })
  await insertFile(server, build)
  await pointChannel(server, build)
  return game
}

beforeAll(async () => {
  owner = await signUp(server)
  operator = await signUpOperator(server)
  const renamed = await owner.json('PATCH', '/api/v1/private/me', {
    username: 'lantern-works',
    display_name: 'Glow Factory',
  })
  expect(renamed.status).toBe(200)
  const games = [
    await insertRunning(
      { name: 'Moth Hour', genres: ['horror'], tone: ['dark'], tags: ['night', 'moths', 'co-op'] },
      'linux',
      'x86_64',
    ),
    await insertRunning(
      { name: 'Tea Towers', genres: ['tower-defense'], tone: ['cozy'], tags: ['tea', 'hex-grid', 'calm'] },
      'android',
      'arm64',
    ),
    await insertPublicGame(server, owner, {
      name: 'No Horror Here',
      genres: ['puzzle'],
      tags: ['calm', 'lamps', 'paper'],
      net: 'offline',
    }),
    await insertPublicGame(server, owner, {
      name: 'Velvet Rooms',
      adult: true,
      tags: ['velvet', 'night', 'a1'],
    }),
    await insertGame(server, owner, { name: 'Velvet Draft', tags: ['velvet-draft', 'night', 'a1'] }),
  ]
  await indexNow(server, ...games.map(({ uid }) => uid))
})

const find = async (text: string, others = '', headers = {}) =>
  await searchFor(server, `${new URLSearchParams({ find: text }).toString()}${others}`, headers)
const suggest = async (q: string, headers: Record<string, string> = {}) =>
  await readData<Suggestions>(
    await server.fetch(`/api/v1/public/search/suggest?${new URLSearchParams({ q }).toString()}`, {
      headers: { 'x-forwarded-for': randomAddress(), ...headers },
    }),
  )

describe('a person finds', () => {
  test.each([
    ['a genre', 'horror', ['Moth Hour', 'No Horror Here']],
    ['a tone by its other spelling', 'cosy', ['Tea Towers']],
    ['a tag by its other spelling', 'coop', ['Moth Hour']],
    ['a genre of two words in British English', 'tower defence', ['Tea Towers']],
    ['a system by its everyday name', 'phone', ['Tea Towers']],
    ['a console by its name', 'steam deck', ['Moth Hour']],
    ['the developer by username', 'lantern works tea', ['Tea Towers']],
    ['the developer by name', 'glow factory moth', ['Moth Hour']],
    ['a genre with a typo', 'horor', ['Moth Hour', 'No Horror Here']],
    ['words of different fields', 'dark lantern', ['Moth Hour']],
    ['without what has a minus', 'lantern -horror', ['No Horror Here', 'Tea Towers']],
    ['without what has a no', 'lantern no horror', ['No Horror Here', 'Tea Towers']],
    ['names with a no in quotes', '"no horror"', ['No Horror Here']],
    ['a beginning', 'hex', ['Tea Towers']],
    ['nothing where a word is nowhere', 'horror tea', []],
    ['a listing past words between', 'a tower about tea with hex', ['Tea Towers']],
    ['what is like a name', 'games similar to tea towers', ['Tea Towers']],
    ['words that were typed as one', 'teatowers', ['Tea Towers']],
    ['a word that was typed as two', 'hor ror lantern', ['Moth Hour', 'No Horror Here']],
    ['what a developer made', 'puzzle by glow factory', ['No Horror Here']],
    ['a name by its plural', 'teas towers', ['Tea Towers']],
    ['a name with a typo in a short word', 'moht hour', ['Moth Hour']],
    ['the same with its type', 'Moth Huor game', ['Moth Hour']],
    ['no name with two typos in a short word', 'mhto hour', []],
    ['no name that has only some of the words', 'moht lamps', []],
    ['what runs on a system', 'games that run on steam deck', ['Moth Hour']],
    ['a pasted address', 'https://store.example/games/tea-towers?from=mail', ['Tea Towers']],
  ])('%s: %s', async (_, text, names) => {
    expect(namesOf(await find(text)).toSorted()).toEqual(names)
  })

  test('nothing else by q', async () => {
    expect(namesOf(await searchFor(server, { q: 'cozy' }))).toEqual([])
    expect(namesOf(await searchFor(server, { q: 'lantern works' }))).toEqual([])
    const answer = await searchFor(server, { q: 'moth' })
    expect(answer.understood).toBeUndefined()
    expect(answer.did_you_mean).toBeUndefined()
  })

  test('what developers wrote about it, from publishing until it is taken back, but not by q', async () => {
    const other = await signUp(server)
    const game = await insertPublicGame(server, other, { name: 'Ferry Bell', tags: ['boat', 'bell', 'sea'] })
    const post = await writePost(other, game, { title: 'Harbourmaster pack' })
    await indexNow(server, game.uid)
    expect(namesOf(await find('harbourmaster'))).toEqual([])
    const change = async (state: string) =>
      expect((await other.json('PATCH', postsPath(game, `/${post.uid}`), { state })).status).toBe(200)
    await change('published')
    await indexNow(server)
    expect(namesOf(await find('ferry harbourm'))).toEqual(['Ferry Bell'])
    expect(namesOf(await find('"harbourmaster pack"'))).toEqual(['Ferry Bell'])
    expect(namesOf(await searchFor(server, { q: 'harbourmaster' }))).toEqual([])
    await other.fetch(postsPath(game, `/${post.uid}`), { method: 'DELETE' })
    await indexNow(server)
    expect(namesOf(await find('harbourmaster'))).toEqual([])
  })

  test('past words between the others, also where a listing has them by chance', async () => {
    const other = await signUp(server)
    const values = { tags: ['pond', 'reed', 'bank'] }
    const games = [
      await insertPublicGame(server, other, { ...values, name: 'Heron Parade', description: 'Wading.' }),
      await insertPublicGame(server, other, {
        ...values,
        name: 'Pond',
        description: 'Walk about as a heron.',
      }),
    ]
    await indexNow(server, ...games.map(({ uid }) => uid))
    expect(namesOf(await find('game about herons'))).toEqual(['Heron Parade', 'Pond'])
  })

  test('what a filter picks among them, with counts', async () => {
    const { items, facets } = await find('lantern', '&genres=horror')
    expect(namesOf({ items })).toEqual(['Moth Hour'])
    expect(facets.genres).toEqual({ horror: 1, puzzle: 1, 'tower-defense': 1 })
  })

  test('the listing under its developer’s new name within a second', async () => {
    const other = await signUp(server)
    const game = await insertPublicGame(server, other, { name: 'Quill', tags: ['ink', 'letters', 'calm'] })
    await indexNow(server, game.uid)
    await other.json('PATCH', '/api/v1/private/me', { display_name: 'Brindle Press' })
    await indexNow(server)
    expect(namesOf(await find('brindle'))).toEqual(['Quill'])
  })
})

describe('what was understood', () => {
  test('names words that are values, with their facet and label', async () => {
    expect((await find('phone tea')).understood).toEqual([
      { word: 'phone', facet: 'os', value: 'android', label: 'Android', excludes: false },
      { word: 'tea', facet: 'tags', value: 'tea', label: 'tea', excludes: false },
    ])
    expect((await find('moths -horror')).understood).toContainEqual({
      word: 'horror',
      facet: 'genres',
      value: 'horror',
      label: 'horror',
      excludes: true,
    })
  })

  test('is empty for words that are no values', async () => {
    expect((await find('hour')).understood).toEqual([])
  })

  test('suggests the nearest words where nothing is found, and only there', async () => {
    expect(await find('moht')).toMatchObject({ total: 0, did_you_mean: 'moth' })
    expect(await find('moht lamps')).toMatchObject({ total: 0, did_you_mean: null })
    expect(await find('moth')).toMatchObject({ did_you_mean: null })
    expect(await find('fno')).toMatchObject({ total: 0, did_you_mean: null })
    expect(await find('xylophonist')).toMatchObject({ total: 0, did_you_mean: null })
  })
})

describe('suggestions', () => {
  test('have listings, developers, facets and tags that begin so', async () => {
    const { listings, developers } = await suggest('mo')
    expect(listings.map(({ name }) => name)).toEqual(['Moth Hour'])
    expect(listings[0]?.developer).toMatchObject({ username: 'lantern-works', display_name: 'Glow Factory' })
    expect(developers).toEqual([])
    expect((await suggest('glow')).developers).toEqual([
      { username: 'lantern-works', display_name: 'Glow Factory', picture: null },
    ])
    expect((await suggest('lantern')).developers.map(({ username }) => username)).toEqual(['lantern-works'])
    expect((await suggest('horr')).facets).toContainEqual({
      facet: 'genres',
      value: 'horror',
      label: 'horror',
      count: 1,
    })
    expect((await suggest('phone')).facets).toEqual([
      { facet: 'os', value: 'android', label: 'Android', count: 1 },
    ])
    expect((await suggest('ca')).tags).toContainEqual({ tag: 'calm', count: 3 })
  })

  test.each(['', 'm', ' m ', '!!', '?'.repeat(2000)])('are none for %p', async (text) => {
    expect(await suggest(text)).toEqual({ listings: [], developers: [], facets: [], tags: [] })
  })

  test('never show adult pages, drafts or their tags, whoever asks', async () => {
    const grown = await signUp(server)
    await grown.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect(await suggest('velvet')).toEqual({ listings: [], developers: [], facets: [], tags: [] })
    expect((await suggest('velvet', await bearerOf(grown))).listings).toEqual([])
  })

  test('leave out what the reader hides, unless asked', async () => {
    const reader = await signUp(server)
    await reader.json('PATCH', '/api/v1/private/me', { hidden_tags: ['moths'] })
    const headers = await bearerOf(reader)
    expect((await suggest('moth', headers)).listings).toEqual([])
    expect((await suggest('moth', headers)).tags).toEqual([])
    const shown = await server.fetch('/api/v1/public/search/suggest?q=moth&show_hidden=true', { headers })
    expect((await readData<Suggestions>(shown)).listings).toHaveLength(1)
  })

  test('take one statement once the index is loaded', async () => {
    await suggest('lantern')
    expect(await countStatements(server, () => suggest('tea'))).toBe(1)
  })
})

describe('searches that find nothing', () => {
  const list = async () =>
    (await readData<Paged<MissedSearch>>(await operator.fetch('/api/v1/operator/searches?page_size=100')))
      .items
  const missed = async (words: string) => (await list()).find((one) => one.words === words)

  test('are counted by their words, and shown to operators', async () => {
    for (const text of ['Dinosaur  RACING!', 'dinosaur racing', '"dinosaur" racing -horror']) await find(text)
    await waitFor('the count', async () => (await missed('dinosaur racing'))?.count === 3)
    expect((await missed('dinosaur racing'))?.last_day).toBe(new Date().toISOString().slice(0, 10))
  })

  test('are not counted with filters, other parameters, addresses and numbers, or when too long', async () => {
    await find('filteredout', '&genres=horror')
    await searchFor(server, { q: 'plainquery' })
    await find('ada@example.org')
    await find('call 0123456789')
    await find('word '.repeat(16))
    await find('zzlast')
    await waitFor('the count', async () => (await missed('zzlast')) !== undefined)
    const words = (await list()).map((one) => one.words)
    expect(words.filter((one) => /filteredout|plainquery|ada|call|word/.test(one))).toEqual([])
  })

  test('cost a statement a second, however many they are', async () => {
    const started = performance.now()
    const statements = await watchStatements(server, async () => {
      await Promise.all(Array.from({ length: 50 }, (_, index) => find(`flood ${index}x`)))
      await waitFor('the count', async () => (await missed('flood 49x')) !== undefined)
    })
    const seconds = Math.ceil((performance.now() - started) / 1000)
    const inserts = statements.filter(({ text }) => text.includes('insert into "search_misses"'))
    expect(inserts.length).toBeLessThanOrEqual(seconds + 1)
  })
})

describe('words that operators say are the same', () => {
  const set = async (synonyms: unknown) =>
    await operator.json('PATCH', '/api/v1/operator/settings', { synonyms })

  test('find each other at once', async () => {
    expect(namesOf(await find('nightfall'))).toEqual([])
    expect(
      (
        await set([
          ['nightfall', 'Moth hour'],
          ['brew', 'tea'],
        ])
      ).status,
    ).toBe(200)
    expect(namesOf(await find('nightfall'))).toEqual(['Moth Hour'])
    expect(namesOf(await find('brew'))).toEqual(['Tea Towers'])
    expect(namesOf(await searchFor(server, { q: 'brew' }))).toEqual([])
    expect((await set([])).status).toBe(200)
    expect(namesOf(await find('brew'))).toEqual([])
  })

  test.each([
    ['a group of one', [['alone']]],
    ['no word', [['a', '!?']]],
    ['a phrase of many words', [['a', 'one two three four five']]],
    ['too many groups', Array.from({ length: 201 }, (_, index) => [`a${index}`, `b${index}`])],
    ['too many words', [Array.from({ length: 11 }, (_, index) => `w${index}`)]],
  ])('are refused with %s', async (_, groups) => {
    expect((await set(groups)).status).toBe(400)
  })

  test('are no business of visitors', async () => {
    const store = await server.fetch('/api/v1/public/store')
    expect(await store.text()).not.toContain('synonyms')
  })
})

test('documents of an earlier version are indexed again when a process starts', async () => {
  const { db } = server.deps
  await db.execute(
    sql`update search_documents set document = document - 'developer', digest = null where document is not null`,
  )
  await openCatalogSearch(server.deps, async () => NOTHING_FOLLOWED)
  await waitFor('the reindex', () => findReindex(db))
  await continueReindex(server.deps)
  const [left] = await db.execute(sql`
    select 1 from search_documents where document is not null and not jsonb_exists(document, 'developer')`)
  expect(left).toBeUndefined()
  await openCatalogSearch(server.deps, async () => NOTHING_FOLLOWED)
  expect(await findReindex(db)).toBeNull()
})
