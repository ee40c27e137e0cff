import { beforeAll, describe, expect, test } from 'bun:test'

import { EDITOR_CATEGORIES } from '../../../../src/domain/listings/editor-packages.ts'
import type { LibraryPage } from '../../../../src/features/asset-library/model.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import {
  askLibrary,
  godot,
  type InsertedPackage,
  insertPackage,
  listTitles,
  offerPackages,
  readRaw,
} from '../../../helpers/files/packages.ts'
import { readData } from '../../../helpers/json.ts'
import { insertLicense, verifyEmail } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { indexNow } from '../../../helpers/search/search.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let ada: Person
let ben: Person
beforeAll(async () => {
  ada = await signUp(server)
  ben = await signUp(server)
  const days = (count: number) => ({ uploadedAt: new Date(Date.UTC(2026, 0, count)) })
  const inserted = [
    await insertPackage(server, ada, { name: 'Grid Kit', licenseKind: 'cc0' }, days(3)),
    await insertPackage(
      server,
      ada,
      {
        name: 'Água Shader',
        licenseKind: 'cc-by',
        tags: ['shader', 'water', 'a'],
        engineCompat: [godot('4.2.1', '4.4')],
      },
      days(1),
    ),
    await insertPackage(
      server,
      ben,
      {
        name: 'Tiles',
        assetType: 'game_asset',
        licenseKind: null,
        tags: ['2d', 'tileset', 'b'],
        engineCompat: [godot('3', '3')],
      },
      days(2),
    ),
    await insertPackage(
      server,
      ben,
      { name: 'Starter', assetType: 'dev_asset', tags: ['template', 'x', 'y'] },
      days(4),
    ),
  ]
  await indexNow(server, ...inserted.map(({ game }) => game.uid))
})

const usernameOf = async (person: Person) =>
  (await readData<{ username: string }>(await person.fetch('/api/v1/private/me'))).username
const titles = (query: string) => listTitles(server, query)

describe('text', () => {
  test.each([
    ['filter=grid', ['Grid Kit']],
    ['filter=KI+gr', ['Grid Kit']],
    ['filter=agua', ['Água Shader']],
    ['filter=tileset', ['Tiles']],
    ['filter=lighthouse', []],
    ['filter=id', []],
    ['filter=grid+shader', []],
    ['filter=', ['Grid Kit', 'Tiles', 'Água Shader']],
  ])('%s looks at the beginnings of words of title, author and tags', async (query, found) => {
    expect(await titles(query)).toEqual(found)
  })

  test('finds the author, by a part of the name or as the whole of it', async () => {
    const username = await usernameOf(ben)
    expect(await titles(`filter=${username}`)).toEqual(['Tiles'])
    expect(await titles(`user=${username.toUpperCase()}`)).toEqual(['Tiles'])
    expect(await titles(`user=${username.slice(0, -1)}`)).toEqual([])
  })

  test('finds an author by a new name soon after the change', async () => {
    const cleo = await signUp(server)
    await offerPackages(server, cleo, { name: 'Signed' })
    const username = `cleo-${crypto.randomUUID().slice(0, 8)}`
    expect((await cleo.json('PATCH', '/api/v1/private/me', { username })).status).toBe(200)
    await indexNow(server)
    expect(await titles(`user=${username}`)).toEqual(['Signed'])
    await cleo.fetch('/api/v1/private/me')
    const { result } = await readRaw<LibraryPage>(await askLibrary(server, `/asset?user=${username}`))
    expect(result[0]?.author).toBe(username)
  })
})

describe('filters', () => {
  test('a category has exactly the rows that name it', async () => {
    for (const { id, kind } of EDITOR_CATEGORIES) {
      const all = await readRaw<LibraryPage>(await askLibrary(server, `/asset?type=${kind}`))
      const own = await readRaw<LibraryPage>(await askLibrary(server, `/asset?type=${kind}&category=${id}`))
      expect(own.result).toEqual(all.result.filter(({ category_id }) => category_id === String(id)))
    }
    expect(await titles('category=1')).toEqual(['Tiles'])
    expect(await titles('category=3')).toEqual(['Água Shader'])
    expect(await titles('category=99')).toEqual([])
    expect(await titles('category=8')).toEqual([])
    expect(await titles('type=project&category=8')).toEqual(['Starter'])
    expect(await titles('category=abc')).toHaveLength((await titles('')).length)
  })

  test.each([
    ['3.2', ['Grid Kit', 'Tiles']],
    ['3.1', ['Tiles']],
    ['4.2', ['Grid Kit', 'Água Shader']],
    ['4.2.0', ['Grid Kit']],
    ['4.4', ['Grid Kit', 'Água Shader']],
    ['4.5', ['Grid Kit']],
    ['4.7', []],
    ['2.1', []],
  ])('godot_version=%s finds what declares it', async (version, found) => {
    const known = new Set(['Grid Kit', 'Tiles', 'Água Shader'])
    expect((await titles(`godot_version=${version}`)).filter((title) => known.has(title))).toEqual(found)
  })

  test('a package without ranges is listed for every version, one of another engine only for none', async () => {
    const other = { ...godot('1', '99'), engine: 'unity' }
    const [free] = await offerPackages(
      server,
      ada,
      { name: 'Rangeless', assetType: 'game_asset', engineCompat: [] },
      { name: 'Elsewhere', engineCompat: [other] },
    )
    for (const version of ['2.1', '3.2', '4.2.0', '4.7', 'any']) {
      const found = await titles(`godot_version=${version}&type=any`)
      expect(found).toContain('Rangeless')
      expect(found).not.toContain('Elsewhere')
    }
    const asset = await askLibrary(server, `/asset/${free?.game.assetId}`)
    expect(await readRaw<{ title: string }>(asset)).toMatchObject({ title: 'Rangeless', godot_version: '' })
    const releases = await askLibrary(server, `/releases/anyone/${free?.game.vanityName}/`)
    expect(await readRaw<object[]>(releases)).toMatchObject([
      { min_godot_version: '1.0', max_godot_version: '999.999.999' },
    ])
  })

  test('no version, any and nonsense mean every version', async () => {
    const all = await titles('')
    for (const query of ['godot_version=any', 'godot_version=', 'godot_version=four'])
      expect(await titles(query)).toEqual(all)
  })

  test('everything is supported by the community', async () => {
    const all = await titles('')
    for (const query of [
      'support=community',
      'support=official+community',
      'support=official%2Bcommunity',
      'support=',
      'support=nonsense',
      'support%5Bcommunity%5D=1',
    ])
      expect({ query, titles: await titles(query) }).toEqual({ query, titles: all })
    for (const query of [
      'support=official',
      'support=testing',
      'support%5Btesting%5D=1',
      'support=official+testing',
    ])
      expect({ query, titles: await titles(query) }).toEqual({ query, titles: [] })
  })

  test('cost is the licence', async () => {
    expect(await titles('cost=CC-BY')).toEqual(['Água Shader'])
    expect(await titles('cost=mit')).toEqual([])
  })

  test('type selects add-ons unless it says otherwise', async () => {
    expect(await titles('type=project')).toEqual(['Starter'])
    expect(await titles('type=any&filter=star')).toEqual(['Starter'])
    expect(await titles('type=nonsense&filter=kit')).toEqual(['Grid Kit'])
    expect(await titles('filter=starter')).toEqual([])
  })
})

describe('order and pages', () => {
  const known = (found: string[]) =>
    found.filter((title) => ['Grid Kit', 'Tiles', 'Água Shader'].includes(title))

  test.each([
    ['', ['Grid Kit', 'Tiles', 'Água Shader']],
    ['sort=updated', ['Grid Kit', 'Tiles', 'Água Shader']],
    ['sort=updated&reverse=true', ['Água Shader', 'Tiles', 'Grid Kit']],
    ['sort=name', ['Grid Kit', 'Tiles', 'Água Shader']],
    ['sort=name&reverse', ['Água Shader', 'Tiles', 'Grid Kit']],
    ['sort=cost', ['Tiles', 'Água Shader', 'Grid Kit']],
    ['sort=cost&reverse=true', ['Grid Kit', 'Água Shader', 'Tiles']],
    ['sort=nonsense', ['Grid Kit', 'Tiles', 'Água Shader']],
    ['sort=constructor', ['Grid Kit', 'Tiles', 'Água Shader']],
  ])('%s', async (query, order) => {
    expect(known(await titles(query))).toEqual(order)
  })

  test('rating counts the players who recommend a package', async () => {
    const [{ game }] = (await offerPackages(server, ada, { name: 'Loved' })) as [InsertedPackage]
    for (const rating of [5, 4, 2]) {
      const fan = await signUp(server)
      await insertLicense(server, game.uid, fan)
      await verifyEmail(server, fan)
      const path = `/api/v1/private/games/${game.uid}/review`
      expect((await fan.json('PUT', path, { rating, text: 'My honest opinion of it.' })).ok).toBe(true)
    }
    await indexNow(server)
    const { result } = await readRaw<LibraryPage>(await askLibrary(server, '/asset?sort=rating&reverse=true'))
    expect(result[0]).toMatchObject({ title: 'Loved', rating: '2' })
  })

  test('pages count from zero and never overlap', async () => {
    const all = await titles('type=any')
    const seen: string[] = []
    for (let page = 0; page * 2 < all.length; page += 1) {
      const body = await readRaw<LibraryPage>(
        await askLibrary(server, `/asset?type=any&max_results=2&page=${page}`),
      )
      expect(body).toMatchObject({
        page,
        pages: Math.ceil(all.length / 2),
        page_length: 2,
        total_items: all.length,
        total: all.length,
      })
      seen.push(...body.result.map(({ title }) => title))
    }
    expect(seen).toEqual(all)
    expect(await titles('type=any&max_results=2&offset=1')).toEqual(all.slice(1, 3))
    for (const page of [1000, 2000]) {
      const beyond = await readRaw<LibraryPage>(await askLibrary(server, `/asset?page=${page}`))
      expect(beyond).toMatchObject({ page, result: [] })
    }
    expect(await titles('page=-1')).toEqual(await titles('page=abc'))
    const largest = await readRaw<LibraryPage>(await askLibrary(server, '/asset?max_results=9999'))
    expect(largest.page_length).toBe(500)
  })
})

describe('a player', () => {
  test('also finds what they own, paid or free, and nobody else does', async () => {
    await offerPackages(
      server,
      ada,
      { name: 'Paid One', priceCents: 999, licenseKind: 'paid' },
      {
        name: 'Claimed One',
        anonymousDownloads: false,
      },
    )
    const [paid, claimed] = await offerPackages(
      server,
      ada,
      { name: 'Paid Two', priceCents: 999, licenseKind: 'paid' },
      { name: 'Claimed Two', anonymousDownloads: false },
    )
    const player = await signUp(server)
    for (const one of [paid, claimed]) await insertLicense(server, one?.game.uid ?? '', player)
    const headers = await bearerOf(player)
    expect(await listTitles(server, 'filter=two&sort=name', headers)).toEqual(['Claimed Two', 'Paid Two'])
    expect(await listTitles(server, 'filter=one', headers)).toEqual([])
    expect(await titles('filter=two')).toEqual([])
    const answer = await askLibrary(server, '/asset?filter=two', headers)
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
  })
})
