import { beforeAll, describe, expect, test } from 'bun:test'

import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import { LICENSE_KINDS } from '../../../../src/domain/listings/listing.ts'
import type {
  StoreAsset,
  StoreHits,
  StoreReleases,
  StoreTag,
} from '../../../../src/features/asset-library/model.ts'
import { insertBuild, insertFile } from '../../../helpers/builds.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import {
  askLibrary,
  godot,
  type InsertedPackage,
  insertPackage,
  LIBRARY,
  offerPackages,
  readRaw,
  releasePackage,
  ZIP,
} from '../../../helpers/files/packages.ts'
import { makeZip } from '../../../helpers/files/zips.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { scanZip } from '../../../helpers/scans.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

let owner: Person

describe('downloads', () => {
  const server = useStore({ TRUST_PROXY: '1' })
  let player: Person
  let bearer: { authorization: string }
  beforeAll(async () => {
    owner = await signUp(server)
    player = await signUp(server)
    bearer = await bearerOf(player)
  })

  const download = (assetId: number | string, headers: Record<string, string> = {}) =>
    askLibrary(server, `/asset/${assetId}/download`, headers)

  describe('the zip', () => {
    test('is at the absolute address of a 302, byte by byte, and nothing else names a location', async () => {
      const { game } = await insertPackage(server, owner)
      const answer = await download(game.assetId)
      expect(answer.status).toBe(302)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.has('content-location')).toBe(false)
      const location = answer.headers.get('location') ?? ''
      expect(location).toStartWith(`${server.url}/objects/`)
      const file = await fetch(location)
      expect(file.status).toBe(200)
      expect(file.headers.has('content-location')).toBe(false)
      expect(new Uint8Array(await file.arrayBuffer())).toEqual(ZIP)
    })

    test('is the newest stable one, and the same at the alias', async () => {
      const { game } = await insertPackage(server, owner)
      await releasePackage(server, game.uid, '2.0.0', { filename: 'newest.zip' })
      const path = `/asset/${game.assetId}/download`
      for (const base of [LIBRARY, '/asset-library/api']) {
        const answer = await askLibrary(server, path, {}, base)
        expect(answer.headers.get('location')).toContain('newest.zip')
      }
    })

    test('is counted with its source, refusals too', async () => {
      const { game, file } = await insertPackage(server, owner, { priceCents: 500 })
      await download(game.assetId, { 'user-agent': 'GodotEngine/3.2.3.stable (X11)' })
      const read = async () => {
        const rows = await server.deps.db.select().from(downloadEvents)
        return rows.find(({ fileUid }) => fileUid === file.uid)
      }
      expect(await waitFor('the attempt is written', read)).toMatchObject({
        source: 'asset_library',
        outcome: 4001,
        gameUid: game.uid,
      })
    })
  })

  describe('refusals', () => {
    test('a paid package asks strangers to sign in and buy, with the page and the price', async () => {
      const { game } = await insertPackage(server, owner, { priceCents: 999 })
      const browse_url = `${server.deps.config.baseUrl}/games/${game.vanityName}`
      expect(await readFailure(await download(game.assetId))).toMatchObject({
        status: 401,
        code: 4001,
        data: { browse_url, price_cents: 999 },
      })
      expect(await readFailure(await download(game.assetId, bearer))).toMatchObject({
        status: 402,
        code: 4023,
        data: { browse_url, price_cents: 999 },
      })
      await insertLicense(server, game.uid, player)
      expect((await download(game.assetId, bearer)).status).toBe(302)
    })

    test('a free package without anonymous downloads has to be claimed first', async () => {
      const { game } = await insertPackage(server, owner, { anonymousDownloads: false })
      expect(await readFailure(await download(game.assetId))).toMatchObject({ status: 401, code: 4001 })
      expect(await readFailure(await download(game.assetId, bearer))).toMatchObject({
        status: 403,
        code: 4030,
      })
      await insertLicense(server, game.uid, player)
      expect((await download(game.assetId, bearer)).status).toBe(302)
    })

    test('a package that is still scanned says so', async () => {
      const game = await insertPublicGame(server, owner, {
        assetType: 'dev_asset',
        licenseKind: 'cc0',
        anonymousDownloads: true,
        engineCompat: [godot('4', '4')],
      })
      await insertFile(server, await insertBuild(server, game.uid), { scan: 'scanning' })
      expect(await readFailure(await download(game.assetId))).toMatchObject({ status: 409, code: 4099 })
      expect((await askLibrary(server, `/asset/${game.assetId}`)).status).toBe(404)
    })

    test('everything that is no package is missing', async () => {
      const hidden = await insertPackage(server, owner, { visibility: 'draft' })
      const adult = await insertPackage(server, owner, { adult: true, contentWarnings: ['gore'] })
      const infected = await insertPackage(server, owner, {}, { scan: 'infected' })
      for (const id of [hidden, adult, infected].map(({ game }) => game.assetId))
        expect(await readFailure(await download(id))).toMatchObject({ status: 404, code: 4040 })
      for (const id of ['0', '2147483648', 'abc'])
        expect(await readFailure(await download(id))).toMatchObject({ status: 404, code: 4040 })
    })
  })

  describe('credentials', () => {
    test('a bad one is 401 everywhere, a wrong scope 4031, an agent’s token 4033', async () => {
      const { game } = await insertPackage(server, owner)
      const created = await player.json('POST', '/api/v1/private/player-keys', {
        label: 'bugs only',
        scopes: ['player:bugs'],
      })
      const { key } = await readData<{ key: string }>(created)
      const agent = await obtainToken(server, player, 'mcp:catalog.read')
      const paths = [
        '/configure',
        '/asset',
        `/asset/${game.assetId}`,
        `/asset/${game.assetId}/download`,
        '/search/query/',
      ]
      for (const path of paths) {
        const wrong = await askLibrary(server, path, { authorization: 'Bearer svc_play_wrong' })
        expect(await readFailure(wrong)).toMatchObject({ status: 401, code: 4010 })
        const unscoped = await askLibrary(server, path, { authorization: `Bearer ${key}` })
        expect(await readFailure(unscoped)).toMatchObject({ status: 403, code: 4031 })
        const foreign = await askLibrary(server, path, { authorization: `Bearer ${agent.access_token}` })
        expect(await readFailure(foreign)).toMatchObject({ status: 403, code: 4033 })
      }
    })

    test('the bare header of games works too', async () => {
      const { game } = await insertPackage(server, owner, { priceCents: 999 })
      await insertLicense(server, game.uid, player)
      const headers = { svc_games: bearer.authorization.replace('Bearer ', '') }
      expect((await download(game.assetId, headers)).status).toBe(302)
    })
  })

  describe('limits', () => {
    test('300 a minute for browsing, shared by all of its routes and addresses', async () => {
      const { max } = LIMITS.asset_library
      const headers = { 'x-forwarded-for': randomAddress() }
      const paths = ['/configure', '/asset?filter=nothing', '/licenses/']
      const bases = [LIBRARY, '/asset-library/api']
      for (let at = 0; at < max; at += 1)
        expect((await askLibrary(server, paths[at % 3] ?? '', headers, bases[at % 2])).status).toBe(200)
      for (const path of paths)
        expect(await readFailure(await askLibrary(server, path, headers))).toMatchObject({
          status: 429,
          code: 4290,
        })
    })

    test('60 a minute for downloads', async () => {
      const { game } = await insertPackage(server, owner)
      const headers = { 'x-forwarded-for': randomAddress() }
      const statuses = new Set<number>()
      for (let at = 0; at < LIMITS.asset_library_download.max; at += 1)
        statuses.add((await download(game.assetId, headers)).status)
      expect([...statuses]).toEqual([302])
      const refused = await download(game.assetId, headers)
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
    })
  })
})

describe('layout', () => {
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
  beforeAll(async () => {
    owner = await signUp(server)
  })

  const LOOSE = makeZip([{ name: 'addons/kit/plugin.cfg', data: '[plugin]' }])
  const WRAPPED = makeZip([
    ...['kit/', 'kit/addons/', 'kit/addons/kit/'].map((name) => ({ name, method: 0 })),
    { name: 'kit/addons/kit/plugin.cfg', data: '[plugin]' },
  ])

  interface Report {
    ok: boolean
    warnings: { code: string; field: string; message: string }[]
  }

  interface Builds {
    items: { files: { scan: string; scan_detail: string | null }[] }[]
  }

  /** Uploads the zip as the stable build of a new listing. Returns what its owner is told. */
  async function publish(zip: Buffer, values: Parameters<typeof insertPublicGame>[2]) {
    const game = await insertPublicGame(server, owner, { licenseKind: 'cc0', ...values })
    const build = await insertBuild(server, game.uid)
    await scanZip(server, build, zip)
    const path = `/api/v1/private/games/${game.uid}`
    const report = await readData<Report>(await owner.fetch(`${path}/lint`))
    const builds = await readData<Builds>(await owner.fetch(`${path}/builds`))
    const codes = report.warnings.map(({ code }) => code).filter((code) => code.startsWith('package_'))
    return { ok: report.ok, codes, file: builds.items[0]?.files[0] }
  }

  const PACKAGE = { assetType: 'dev_asset' as const, engineCompat: [godot('3.2', '4')] }

  describe('the zip of a package', () => {
    test('warns its owner of what older editors would drop, and is published all the same', async () => {
      const { ok, codes, file } = await publish(LOOSE, PACKAGE)
      expect({ ok, codes }).toEqual({ ok: true, codes: ['package_no_wrapper', 'package_no_folder_entries'] })
      expect(file?.scan).toBe('clean')
      expect(file?.scan_detail).toContain('Put everything into one folder')
      expect(file?.scan_detail).toContain('zip -r')
    })

    test('is fine with one folder around everything and entries for all folders', async () => {
      const { codes, file } = await publish(WRAPPED, PACKAGE)
      expect(codes).toEqual([])
      expect(file).toMatchObject({ scan: 'clean', scan_detail: null })
    })

    test('is nobody’s business for a game, or for another engine', async () => {
      const game = await publish(LOOSE, { assetType: 'game' })
      expect(game.codes).toEqual([])
      expect(game.file?.scan_detail).toBeNull()
      const other = await publish(LOOSE, {
        assetType: 'dev_asset',
        engineCompat: [{ ...godot('1', '2'), engine: 'bevy' }],
      })
      expect(other.codes).toEqual([])
    })
  })
})

describe('asset store', () => {
  const server = useStore({ TRUST_PROXY: '1' })
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
})
