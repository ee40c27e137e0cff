import { beforeAll, describe, expect, test } from 'bun:test'

import { users } from '../../../../src/db/schema/accounts.ts'
import { reviews } from '../../../../src/db/schema/games/game-players.ts'
import { NOTHING_FOLLOWED } from '../../../../src/domain/follows.ts'
import { SearchRequest } from '../../../../src/features/catalog/search/request.ts'
import { openCatalogSearch, searchCatalog } from '../../../../src/features/catalog/search/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import { insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { indexNow, namesOf, searchFor } from '../../../helpers/search/search.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', PLAY_URL: 'http://*.play.localhost:8080' })
let owner: Person

const HOUR_MS = DAY_MS / 24
const ago = (ms: number) => new Date(Date.now() - ms)

async function rate(gameUid: string, ratings: readonly number[]): Promise<void> {
  const people = ratings.map(() => {
    const id = createUid()
    return { id, name: 'Reader', email: `${id}@example.org`, username: `reader-${id.slice(-8)}` }
  })
  await server.deps.db.insert(users).values(people)
  await server.deps.db
    .insert(reviews)
    .values(people.map(({ id }, at) => ({ gameUid, userUid: id, rating: ratings[at] ?? 1, text: '' })))
}

beforeAll(async () => {
  owner = await signUp(server)
  const [free, low, middle, upper, high] = [
    await insertPublicGame(server, owner, {
      name: 'éclair Éden',
      inputs: ['touch'],
      publishedAt: ago(31 * DAY_MS - HOUR_MS),
    }),
    await insertPublicGame(server, owner, {
      name: 'Zebra',
      priceCents: 499,
      inputs: ['gamepad', 'keyboard_mouse'],
      publishedAt: ago(31 * DAY_MS + HOUR_MS),
    }),
    await insertPublicGame(server, owner, {
      name: 'eclair Afternoon',
      priceCents: 500,
      inputs: ['gamepad', 'vr'],
      publishedAt: ago(366 * DAY_MS - HOUR_MS),
    }),
    await insertPublicGame(server, owner, {
      name: 'apple',
      priceCents: 1500,
      publishedAt: ago(366 * DAY_MS + HOUR_MS),
    }),
    await insertPublicGame(server, owner, {
      name: 'Ärger',
      priceCents: 1501,
      publishedAt: ago(500 * DAY_MS),
    }),
  ]
  // Averages of 5 with too few reviews, of exactly 4, of just under 4, of exactly 3, and of less.
  await rate(free.uid, [5, 5, 5, 5])
  await rate(low.uid, [5, 5, 4, 3, 3])
  await rate(middle.uid, [5, 5, 4, 3, 2])
  await rate(upper.uid, [...Array<number>(20).fill(5), ...Array<number>(20).fill(1)])
  await rate(high.uid, [1, 1, 1, 1, 5])
  for (const [game, os, entryPage] of [
    [free, 'web', 'index.html'],
    [low, 'web', null],
    [middle, 'linux', null],
  ] as const) {
    const build = await insertBuild(server, game.uid, { os, arch: os === 'web' ? 'wasm32' : 'x86_64' })
    await insertFile(server, build, { entryPage })
    await pointChannel(server, build)
  }
  await indexNow(server, ...[free, low, middle, upper, high].map(({ uid }) => uid))
})

const namesFor = async (query: string) => namesOf(await searchFor(server, query)).toSorted()
const [FREE, LOW, MIDDLE, UPPER, HIGH] = [
  'éclair Éden',
  'Zebra',
  'eclair Afternoon',
  'apple',
  'Ärger',
] as const

describe('the filters', () => {
  test.each<[string, string[]]>([
    ['price=free', [FREE]],
    ['price=under_5', [LOW]],
    ['price=5_15', [MIDDLE, UPPER]],
    ['price=over_15', [HIGH]],
    ['price=free,over_15', [FREE, HIGH]],
    ['price=cheap', [FREE, LOW, MIDDLE, UPPER, HIGH]],
    ['rating=4', [LOW]],
    ['rating=3', [LOW, MIDDLE, UPPER]],
    ['rating=2', [FREE, LOW, MIDDLE, UPPER, HIGH]],
    ['inputs=gamepad', [LOW, MIDDLE]],
    ['inputs=touch,vr', [FREE, MIDDLE]],
    ['exclude_inputs=gamepad', [FREE, UPPER, HIGH]],
    ['inputs=gamepad&exclude_inputs=vr', [LOW]],
    ['released=month', [FREE]],
    ['released=year', [FREE, LOW, MIDDLE]],
    ['released=decade', [FREE, LOW, MIDDLE, UPPER, HIGH]],
    ['playable=true', [FREE]],
    ['playable=false', [FREE, LOW, MIDDLE, UPPER, HIGH]],
    ['price=5_15&rating=3&released=year', [MIDDLE]],
  ])('%s', async (query, expected) => {
    expect(await namesFor(query)).toEqual(expected.toSorted())
  })

  test('have counts that ignore their own selection', async () => {
    const expected = {
      price: { free: 1, under_5: 1, '5_15': 2, over_15: 1 },
      rating: { '3': 3, '4': 1 },
      inputs: { touch: 1, gamepad: 2, keyboard_mouse: 1, vr: 1 },
      released: { month: 1, year: 3 },
      playable: { true: 1 },
    }
    expect((await searchFor(server, '')).facets).toMatchObject(expected)
    for (const facet of ['price=free', 'rating=4', 'inputs=vr', 'released=month', 'playable=true']) {
      const [name = ''] = facet.split('=')
      const { facets } = await searchFor(server, facet)
      expect(facets).toHaveProperty(name, Reflect.get(expected, name))
    }
  })
})

test('a store that does not play in the browser neither counts nor finds what it could play', async () => {
  const config = { ...server.deps.config, playUrl: null }
  const search = await openCatalogSearch({ ...server.deps, config }, async () => NOTHING_FOLLOWED)
  const ask = async (query: string) =>
    await searchCatalog(search, { kind: 'anonymous' }, SearchRequest.parse(new URLSearchParams(query)))
  expect((await ask('')).facets.playable).toEqual({})
  expect((await ask('playable=true')).total).toBe(0)
})

describe('the sorts', () => {
  test.each<[string, string[]]>([
    // Free of case and accents, word by word.
    ['name', [UPPER, HIGH, MIDDLE, FREE, LOW]],
    ['price_low', [FREE, LOW, MIDDLE, UPPER, HIGH]],
    ['price_high', [HIGH, UPPER, MIDDLE, LOW, FREE]],
    // Four of four are surer than twenty of forty, and those surer than three of five; of equal ones the newest.
    ['rated', [FREE, UPPER, LOW, MIDDLE, HIGH]],
    ['newest', [FREE, LOW, MIDDLE, UPPER, HIGH]],
  ])('%s', async (sort, expected) => {
    expect(namesOf(await searchFor(server, `sort=${sort}`))).toEqual(expected)
    const second = await searchFor(server, `sort=${sort}&page=2&page_size=2`)
    expect(namesOf(second)).toEqual(expected.slice(2, 4))
  })

  test('order what a text finds, too', async () => {
    for (const text of ['q', 'find']) {
      expect(namesOf(await searchFor(server, `${text}=eclair&sort=price_high`))).toEqual([MIDDLE, FREE])
      expect(namesOf(await searchFor(server, `${text}=eclair&sort=name`))).toEqual([MIDDLE, FREE])
      expect(namesOf(await searchFor(server, `${text}=eclair&sort=newest`))).toEqual([FREE, MIDDLE])
    }
  })

  test('a price that changes is found under its new band', async () => {
    const game = await insertPublicGame(server, owner, { name: 'Sold', priceCents: 1999 })
    await indexNow(server, game.uid)
    expect(await namesFor('price=over_15&q=sold')).toEqual(['Sold'])
    const answer = await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { price_cents: 300 })
    expect(answer.status).toBe(200)
    await indexNow(server)
    expect(await namesFor('price=over_15&q=sold')).toEqual([])
    expect(await namesFor('price=under_5&q=sold')).toEqual(['Sold'])
  })
})
