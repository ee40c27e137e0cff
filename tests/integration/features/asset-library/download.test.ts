import { beforeAll, describe, expect, test } from 'bun:test'

import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import { insertBuild, insertFile } from '../../../helpers/builds.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import {
  askLibrary,
  godot,
  insertPackage,
  LIBRARY,
  releasePackage,
  ZIP,
} from '../../../helpers/files/packages.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
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
    expect(await readFailure(await download(game.assetId, bearer))).toMatchObject({ status: 403, code: 4030 })
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
