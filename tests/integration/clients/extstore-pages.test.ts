import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'

import type { ExtStore } from '../../../src/clients/extstore/client.ts'
import { openExtStore } from '../../../src/clients/extstore/open.ts'
import { DEMO_APPS } from '../../helpers/ext-store-double/apps/demo-apps.ts'
import { BARE_APP } from '../../helpers/ext-store-double/bare-app.ts'
import { type ExtStoreDouble, startExtStoreDouble } from '../../helpers/ext-store-double/double.ts'
import { gamePage } from '../../helpers/ext-store-double/fixture.ts'

let double: ExtStoreDouble
let store: ExtStore
beforeAll(async () => {
  double = await startExtStoreDouble()
  const { origin } = double
  store = openExtStore({
    apiUrl: origin,
    partnerUrl: origin,
    storeUrl: origin,
    openidUrl: `${origin}/openid/login`,
  })
})
afterEach(() => double.heal())
afterAll(() => double.stop())

const read = (name: keyof typeof DEMO_APPS) => store.readApp(DEMO_APPS[name].appId)

describe('a store page', () => {
  test('is read with its tags, most used first', async () => {
    const page = await read('paid')
    expect(page).toMatchObject({
      appId: 700_010,
      type: 'game',
      name: 'Lantern Keeper',
      isFree: false,
      requiredAge: 0,
      shortDescription: 'Guide a small light home, one night at a time.',
      website: 'https://lantern-keeper.example.org/',
      developers: ['Night Shift'],
      publishers: ['Small Hours'],
      price: { currency: 'USD', initial: 1999 },
      categoryIds: [2, 28, 79],
      categoryNames: ['Single-player', 'Full controller support', 'Save Anytime'],
      genres: [
        { id: 25, name: 'Adventure' },
        { id: 23, name: 'Indie' },
      ],
      release: { comingSoon: false, date: 'Mar 4, 2025' },
      contentDescriptorIds: [],
      contentNotes: null,
      tags: ['Adventure', 'Indie', '2D', 'Relaxing'],
    })
    expect(page?.screenshots).toHaveLength(3)
    expect(page?.detailedDescription).toStartWith('<h1>About</h1>')
  })

  test.each([
    ['free', { isFree: true, price: null }],
    ['discounted', { price: { currency: 'USD', initial: 2999 } }],
    ['paidInEuro', { price: { currency: 'EUR', initial: 1499 } }],
    [
      'comingSoon',
      { price: null, website: null, trailers: [], release: { comingSoon: true, date: 'Q3 2027' } },
    ],
    [
      'adult',
      {
        requiredAge: 18,
        contentDescriptorIds: [1, 3, 4, 5],
        contentNotes: 'Adult-only scenes between adults.',
      },
    ],
    ['violent', { requiredAge: 17, contentNotes: 'Frequent violence & gore.' }],
    ['noScreenshots', { screenshots: [], trailers: [] }],
    ['dlc', { type: 'dlc' }],
    ['demo', { type: 'demo' }],
    ['redirected', { appId: 700_010 }],
    ['oddHtml', { shortDescription: 'Tom & Jerry\'s "last" stand … it’s over — 100\u{a0}% real.' }],
    [
      'mixedTypes',
      {
        appId: 700_170,
        isFree: false,
        requiredAge: 0,
        price: { currency: 'USD', initial: 999 },
        developers: [],
        publishers: ['Small Hours'],
        categoryIds: [24],
        genres: [{ id: 9, name: 'Racing' }],
        website: null,
        release: { comingSoon: false, date: '' },
      },
    ],
    [
      'streamsOnly',
      {
        trailers: [
          'https://video.akamai.steamstatic.com/store_trailers/700150/1/2/3/hls_264_master.m3u8?t=1',
        ],
      },
    ],
    [
      'twoMovies',
      {
        trailers: [
          'https://video.akamai.steamstatic.com/store_trailers/700160/movie_max.mp4?t=1',
          'https://video.akamai.steamstatic.com/store_trailers/700160/1/2/3/hls_264_master.m3u8?t=1',
        ],
      },
    ],
  ] as const)('%s', async (name, expected) => {
    expect(await read(name)).toMatchObject(expected)
  })

  test('that was removed, or never was, is none', async () => {
    expect(await read('removed')).toBeNull()
    expect(await store.readApp(799_999)).toBeNull()
  })

  test('with nothing but a name is still a page', async () => {
    double.addApp({ appId: 799_000, details: { name: 'Bare', type: 'game' } })
    expect(await store.readApp(799_000)).toEqual(BARE_APP)
  })

  test('of a shape nobody expects is read as far as it goes', async () => {
    const wild = Object.fromEntries(
      Object.keys(gamePage(1, 'x').details ?? {}).map((field, n) => [
        field,
        [null, 7, 'x', [], {}, [[]]][n % 6],
      ]),
    )
    double.addApp({ appId: 799_001, details: wild })
    expect(await store.readApp(799_001)).toMatchObject({ screenshots: [], tags: [] })
  })
})

test.each([
  ['&lt;b&gt;&quot;x&quot;&apos;', '<b>"x"\''],
  ['&#039;&#39;&#x27;&#X2019;', "'''’"],
  ['&hellip;&mdash;x&nbsp;&eacute;&Eacute;', '…—x\u{a0}éÉ'],
  ['&#128512;', '😀'],
  ['&amp;amp;', '&amp;'],
  ['&unknown; &; & &amp', '&unknown; &; & &amp'],
  ['&valueOf; &toString;', '&valueOf; &toString;'],
  ['&#0;&#xD800;&#1114112;', '\u{fffd}\u{fffd}\u{fffd}'],
])('the entities of %s are decoded once', async (name, expected) => {
  double.addApp(gamePage(799_002, name, { developers: [name] }))
  expect(await store.readApp(799_002)).toMatchObject({ name: expected, developers: [expected] })
})

describe('the names of tags', () => {
  const asked = () => double.requests.filter((request) => request.point === 'tags').length

  test('are asked for once and kept, also while the store fails', async () => {
    await read('paid')
    const before = asked()
    double.fail('tags', '500')
    expect((await read('paid'))?.tags).toHaveLength(4)
    expect(asked()).toBe(before)
  })

  test('are asked for again after an hour, by the version that is known; the known ones serve while that fails', async () => {
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000)
    await read('paid')
    const before = asked()
    try {
      double.fail('tags', '500', 1)
      for (const later of [2, 2, 4, 4].map(hours)) {
        setSystemTime(later)
        expect((await read('paid'))?.tags).toHaveLength(4)
      }
    } finally {
      setSystemTime()
    }
    expect(asked()).toBe(before + 2)
    const last = double.requests.findLast((request) => request.point === 'tags')
    expect(last?.params).toEqual({ language: 'english', have_version_hash: 'f3b1c2d4e5' })
  })
})

test('only the configured addresses are its own', () => {
  expect(store.isOwnOrigin(new URL(`${double.origin}/a.jpg`))).toBe(true)
  expect(store.isOwnOrigin(new URL('http://127.0.0.1:9/a.jpg'))).toBe(false)
  expect(store.isOwnOrigin(new URL(double.origin.replace('http:', 'https:')))).toBe(false)
})
