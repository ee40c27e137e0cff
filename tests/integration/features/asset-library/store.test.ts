import { beforeAll, describe, expect, test } from 'bun:test'

import { LICENSE_KINDS } from '../../../../src/domain/listings/licenses.ts'
import type {
  StoreAsset,
  StoreHits,
  StoreReleases,
  StoreTag,
} from '../../../../src/features/asset-library/model.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import {
  askLibrary,
  godot,
  type InsertedPackage,
  LIBRARY,
  offerPackages,
  readRaw,
} from '../../../helpers/files/packages.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertLicense } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let kit: InsertedPackage
beforeAll(async () => {
  owner = await signUp(server)
  ;[kit] = (await offerPackages(
    server,
    owner,
    {
      name: 'Grid Kit',
      description: 'A **grid** in [brackets].',
      tags: ['pixel-art', 'grid', 'levels'],
      engineCompat: [godot('4.0', '4.4'), godot('3', '3')],
      website: 'https://grid.example',
    },
    { name: 'Water', tags: ['water', 'grid', 'waves'], licenseKind: null, description: 'It is very wet.' },
    { name: 'Starter', tags: ['template', 'starter', 'jam'] },
  )) as [InsertedPackage]
})

const ask = async <Body>(path: string, headers: Record<string, string> = {}) =>
  await readRaw<Body>(await askLibrary(server, path, headers))
const namesOf = async (query: string, headers: Record<string, string> = {}) =>
  (await ask<StoreHits>(`/search/query/?${query}`, headers)).hits.map(({ asset }) => asset.name)

const row = () => ({
  name: 'Grid Kit',
  slug: kit.game.vanityName,
  store_url: `${server.deps.config.baseUrl}/games/${kit.game.vanityName}`,
  license_type: 'cc0',
  license_url: 'https://creativecommons.org/publicdomain/zero/1.0/',
  reviews_score: 0,
  publisher: { name: expect.any(String), slug: expect.any(String), verified: false },
  thumbnail: expect.stringMatching(/^http.*-icon\.png$/),
})

describe('what an editor asks first', () => {
  test('the base address answers, with and without its slash', async () => {
    for (const path of ['/', '']) expect((await askLibrary(server, path)).status).toBe(200)
    expect((await askLibrary(server, '/', {}, '/asset-library/api')).status).toBe(200)
  })

  test('tags are a raw list whose last one is the most common, because editors turn it around', async () => {
    const tags = await ask<StoreTag[]>('/tags/?featured_only=true')
    expect(tags.at(-1)).toEqual({ display_name: 'Grid', slug: 'grid' })
    expect(tags).toContainEqual({ display_name: 'Pixel art', slug: 'pixel-art' })
    expect(tags.map(({ slug }) => slug)).not.toContain('template')
  })

  test('licences are a raw list', async () => {
    expect(await ask<unknown>('/licenses/')).toEqual(LICENSE_KINDS.map((type) => ({ type })))
  })
})

describe('a search', () => {
  test('has a count and hits with every field that editors require', async () => {
    const found = await ask<StoreHits>(
      '/search/query/?query=grid+kit&require_release=true&type=0&sort=relevance&compatibility=4.2.1',
    )
    expect(found).toEqual({ count: 1, hits: [{ asset: row() }] })
  })

  test.each([
    ['query=grid', ['Grid Kit']],
    ['query=very+wet', ['Water']],
    ['query=%23grid&sort=created_asc', ['Grid Kit', 'Water']],
    ['query=wet%23water', ['Water']],
    ['query=wet%23pixel-art', []],
    ['query=%23Pixel_Art', ['Grid Kit']],
    ['type=1', ['Starter']],
    ['compatibility=4.4.1&query=grid', ['Grid Kit']],
    ['compatibility=4.5&query=grid', []],
    ['compatibility=3.9&query=grid', ['Grid Kit']],
    ['licenses=cc0&licenses=cc-by&sort=updated_asc', ['Grid Kit']],
    ['licenses=proprietary', []],
    ['sort=updated_desc', ['Water', 'Grid Kit']],
    ['sort=created_desc', ['Water', 'Grid Kit']],
    ['sort=reviews_desc&query=grid', ['Grid Kit']],
    ['page=2', []],
    ['page=0&query=grid', ['Grid Kit']],
  ])('%s', async (query, names) => {
    expect(await namesOf(query)).toEqual(names)
  })

  test('shows players what they own', async () => {
    const [paid] = await offerPackages(server, owner, { name: 'Paid Thing', priceCents: 999 })
    const player = await signUp(server)
    const headers = await bearerOf(player)
    expect(await namesOf('query=thing', headers)).toEqual([])
    await insertLicense(server, paid?.game.uid ?? '', player)
    expect(await namesOf('query=thing', headers)).toEqual(['Paid Thing'])
    expect(await namesOf('query=thing')).toEqual([])
  })
})

describe('one package', () => {
  test('has every field, also without a publisher in the address, as editors send it', async () => {
    const slug = kit.game.vanityName
    const asset = await ask<StoreAsset>(`/assets//${slug}/`)
    expect(asset).toEqual({
      ...row(),
      body_bbcode: 'A [b]grid[/b] in [lb]brackets].',
      source: 'https://grid.example',
      tags: [
        { display_name: 'Pixel art', slug: 'pixel-art' },
        { display_name: 'Grid', slug: 'grid' },
        { display_name: 'Levels', slug: 'levels' },
      ],
      media: [expect.stringMatching(/^http.*-large\.jpg$/)],
    })
    expect(await ask<StoreAsset>(`/assets/${asset.publisher.slug}/${slug}/`)).toEqual(asset)
  })

  test('has a release for each range, whose maximum covers every patch', async () => {
    const slug = kit.game.vanityName
    const releases = await ask<StoreReleases>(`/releases/anyone/${slug}/`)
    const release = {
      download_url: `${server.deps.config.baseUrl}${LIBRARY}/asset/${kit.game.assetId}/download`,
      version: '1.0.0',
      stable: true,
      changes_bbcode: '',
    }
    expect(releases).toEqual([
      { ...release, stable: true, min_godot_version: '3', max_godot_version: '3.999.999' },
      { ...release, stable: true, min_godot_version: '4.0', max_godot_version: '4.4.999' },
    ])
    expect(await ask<StoreReleases>(`/releases//${slug}/`)).toEqual(releases)
  })

  test('without a licence kind says so and links to its page', async () => {
    const { hits } = await ask<StoreHits>('/search/query/?query=wet')
    const asset = hits[0]?.asset
    expect(asset).toMatchObject({ license_type: 'no licence stated', license_url: asset?.store_url ?? '' })
  })

  test('is missing as an envelope', async () => {
    for (const path of ['/assets/a/nothing-here/', '/assets//nothing-here/', '/releases/a/nothing-here/'])
      expect(await readFailure(await askLibrary(server, path))).toMatchObject({ status: 404, code: 4040 })
  })

  test('is the same at the alias', async () => {
    const path = `/assets//${kit.game.vanityName}/`
    const alias = await askLibrary(server, path, {}, '/asset-library/api')
    expect(await alias.json()).toEqual(await ask<unknown>(path))
  })
})
