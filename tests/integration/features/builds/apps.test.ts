import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { AppError } from '../../../../src/errors.ts'
import type { ModCompat } from '../../../../src/features/builds/comparison/model.ts'
import {
  type BuildIdentification,
  findBuildForUpload,
} from '../../../../src/features/builds/registry/identify.ts'
import type { Card, Listing, PublicFile } from '../../../../src/features/catalog/pages/model.ts'
import { loadDocuments } from '../../../../src/features/catalog/search/indexing.ts'
import type { Factsheet } from '../../../../src/features/listings/press/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import {
  type BuildRow,
  insertBuild,
  insertFile,
  issueDeployKey,
  pointChannel,
} from '../../../helpers/builds.ts'
import { askLibrary, insertPackage, readRaw } from '../../../helpers/files/packages.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { promote, release, settle } from '../../../helpers/releases.ts'
import { indexNow, searchFor } from '../../../helpers/search/search.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })

describe('apps', () => {
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
  })

  const SERVER = { app: 'server', app_name: 'Dedicated server' }
  const MAIN = { app: 'main', app_name: 'main' }

  let builds = 0

  const register = async (game: GameRow, body: object) => {
    const answer = await owner.json('POST', `/api/v1/private/games/${game.uid}/builds`, body)
    return await readData<{ build_id: string; app: string; app_name: string }>(answer)
  }
  /** Names the app with a build that nobody sees. */
  const nameServer = async (game: GameRow, app_name = SERVER.app_name) => {
    const version = `0.1.${builds++}`
    await register(game, { version, os: 'linux', arch: 'x86_64', channel: 'dev', app: 'server', app_name })
  }

  /** A game for Windows whose server runs on Linux. */
  async function insertWithServer(): Promise<{ game: GameRow; main: BuildRow; dedicated: BuildRow }> {
    const game = await insertPublicGame(server, owner)
    await nameServer(game)
    const dedicated = await release(server, game.uid, { os: 'linux', version: '9.0.0' }, 'server')
    const main = await release(server, game.uid, { os: 'windows' })
    return { game, main, dedicated }
  }

  const readListing = async ({ uid }: GameRow) =>
    await readData<Listing>(await server.fetch(`/api/v1/public/games/${uid}`))
  const readPress = async ({ uid }: GameRow) =>
    await readData<Factsheet>(await server.fetch(`/api/v1/public/games/${uid}/press`))
  const readPrivate = async <Data>({ uid }: GameRow, tail: string) =>
    await readData<Data>(await owner.fetch(`/api/v1/private/games/${uid}/${tail}`))
  const appsOf = (items: readonly { app: string; app_name: string }[]) =>
    items.map(({ app, app_name }) => ({ app, app_name }))
  const find = async (query: Record<string, string>, { uid }: GameRow) => {
    const { items } = await searchFor(server, query)
    return items.find((card) => card.uid === uid)
  }

  describe('a server for another system than the game', () => {
    test('is no system of the game: card, search, facets, document and press', async () => {
      const { game } = await insertWithServer()
      await indexNow(server)
      const card = (await find({ q: game.name }, game)) as Card
      expect(card.platforms).toEqual(['windows'])
      expect(await find({ q: game.name, os: 'linux' }, game)).toBeUndefined()
      expect(await find({ q: game.name, os: 'linux', arch: 'x86_64' }, game)).toBeUndefined()
      expect(await find({ q: game.name, os: 'windows', arch: 'x86_64' }, game)).toBeDefined()
      const { facets } = await searchFor(server, { q: game.name })
      expect(facets.os).toEqual({ windows: 1 })
      const [document] = await loadDocuments(server.deps.db, [game.uid])
      expect(document).toMatchObject({ os: ['windows'], platforms: ['windows|x86_64'] })
      expect((await readPress(game)).platforms).toEqual(['windows'])
    })

    test('is listed by its name on the press page', async () => {
      const { game } = await insertWithServer()
      expect((await readPress(game)).other_apps).toEqual([{ ...SERVER, platforms: ['linux'] }])
    })

    test('does not pass the listing check for the game', async () => {
      const game = await insertPublicGame(server, owner)
      await release(server, game.uid, {}, 'server')
      const readWarnings = async () => {
        const lint = await readPrivate<{ warnings: { code: string }[] }>(game, 'lint')
        return lint.warnings.map(({ code }) => code)
      }
      expect(await readWarnings()).toEqual(expect.arrayContaining(['no_stable_build', 'no_platforms']))
      await release(server, game.uid)
      expect(await readWarnings()).not.toContain('no_stable_build')
    })

    test('is neither the package that editors install nor one of its releases', async () => {
      const { game, file } = await insertPackage(server, owner)
      const extra = await insertBuild(server, game.uid, { version: '9.0.0' }, 'server')
      await insertFile(server, extra, { uploadedAt: new Date(Date.now() + 60_000) })
      await settle(server, extra)
      const asset = await readRaw<Record<string, string>>(await askLibrary(server, `/asset/${game.assetId}`))
      expect(asset).toMatchObject({ version_string: '1.0.0', version: '1', download_hash: file.checksum })
    })

    test('alone makes no package', async () => {
      const { game } = await insertPackage(server, owner, {}, { scan: 'infected' })
      await owner.json('DELETE', `/api/v1/private/games/${game.uid}/builds/${await onlyBuild(game)}`)
      await release(server, game.uid, {}, 'server')
      expect((await askLibrary(server, `/asset/${game.assetId}`)).status).toBe(404)
      expect((await askLibrary(server, `/asset/${game.assetId}/download`)).status).toBe(404)
      expect((await loadDocuments(server.deps.db, [game.uid]))[0]?.package).toBeNull()
    })

    const onlyBuild = async (game: GameRow) =>
      (await readPrivate<Paged<{ build_id: string }>>(game, 'builds')).items[0]?.build_id ?? ''
  })

  describe('every file and build says its app, by slug and name', () => {
    test('on the listing and the list of files, the game first', async () => {
      const { game, main, dedicated } = await insertWithServer()
      const { files } = await readListing(game)
      expect(files).toMatchObject([
        { ...MAIN, os: 'windows', build_id: main.uid },
        { ...SERVER, os: 'linux', build_id: dedicated.uid },
      ])
      const listed = await server.fetch(`/api/v1/public/user/${owner.uid}/games/${game.uid}/files`)
      expect((await readData<Paged<PublicFile>>(listed)).items).toEqual(files)
    })

    test('for its makers: registration, builds, channels, their history, promotion and downloads', async () => {
      const { game, main, dedicated } = await insertWithServer()
      const registered = await register(game, {
        version: '2.0.0',
        os: 'linux',
        arch: 'x86_64',
        app: 'server',
      })
      expect(registered).toMatchObject(SERVER)
      const listed = await readPrivate<Paged<typeof registered>>(game, 'builds')
      expect(appsOf(listed.items)).toEqual([SERVER, MAIN, SERVER, SERVER])
      const channels = await readPrivate<Paged<typeof registered>>(game, 'channels')
      expect(appsOf(channels.items)).toEqual([MAIN, SERVER])
      const moves = await readPrivate<Paged<typeof registered>>(game, 'channels/history')
      expect(appsOf(moves.items)).toEqual([MAIN, SERVER])
      expect(await readData(await promote(owner, game.uid, dedicated, 'beta'))).toMatchObject(SERVER)
      const file = (await readListing(game)).files.find(({ build_id }) => build_id === main.uid)
      const provenance = await server.fetch(
        `/api/v1/public/games/${game.uid}/files/${file?.file_uid}/provenance`,
      )
      expect(await readData(provenance)).toMatchObject({ build: MAIN })
    })

    test('for pipelines', async () => {
      const { game, dedicated } = await insertWithServer()
      const headers = { ...(await issueDeployKey(server, game.uid)) }
      const read = async <Data>(path: string) =>
        await readData<Data>(await server.fetch(`/api/v1/tool/upload/${path}`, { headers }))
      expect(await read(`builds/${dedicated.uid}`)).toMatchObject(SERVER)
      expect(appsOf((await read<Paged<typeof SERVER>>('channels')).items)).toEqual([MAIN, SERVER])
    })

    test('for agents', async () => {
      const { game } = await insertWithServer()
      const { access_token } = await obtainToken(server, owner, 'mcp:builds.read')
      const answer = await server.fetch(`/api/v1/private/games/${game.uid}/channels`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      expect(appsOf((await readData<Paged<typeof SERVER>>(answer)).items)).toEqual([MAIN, SERVER])
    })
  })

  test('a new name of an app is on the page at once', async () => {
    const { game } = await insertWithServer()
    await readListing(game)
    await nameServer(game, 'Headless server')
    expect((await readListing(game)).files[1]).toMatchObject({ app: 'server', app_name: 'Headless server' })
  })
})

describe('identifying a build', () => {
  let game: GameRow
  let build: BuildRow
  let dedicated: BuildRow
  let foreign: BuildRow
  beforeAll(async () => {
    const owner = await signUp(server)
    game = await insertGame(server, owner)
    build = await insertBuild(server, game.uid, { channel: 'beta', version: '1.5.0' })
    dedicated = await insertBuild(server, game.uid, { channel: 'beta', version: '1.5.0' }, 'server')
    await insertBuild(server, game.uid, { version: '2.0.0' })
    foreign = await insertBuild(server, (await insertGame(server, owner)).uid)
  })

  const find = (identification: BuildIdentification) =>
    findBuildForUpload(server.deps.db, game.uid, identification)

  async function codeOf(identification: BuildIdentification): Promise<number> {
    try {
      await find(identification)
    } catch (error) {
      if (error instanceof AppError) return error.code
      throw error
    }
    return 0
  }

  const FULL = { version: '1.5.0', build_type: 'game', os: 'linux', arch: 'x86_64', channel: 'beta' }

  describe('the build an upload belongs to', () => {
    test('is found by build_id, by its other name, and with fields that fit', async () => {
      for (const named of [{ build_id: build.uid }, { build: build.uid }, { ...FULL, build_id: build.uid }]) {
        expect(await find(named)).toMatchObject({ uid: build.uid, app: 'main' })
      }
      expect(await find({ build_id: dedicated.uid, app: 'server' })).toMatchObject({ uid: dedicated.uid })
    })

    test('is found by version and type beside a build that is a mere label, or the id of another', async () => {
      for (const label of ['nightly', foreign.uid, crypto.randomUUID()])
        expect((await find({ ...FULL, build: label })).uid).toBe(build.uid)
      expect(await codeOf({ build: 'nightly', version: '1.5.0', build_type: 'game' })).toBe(4038)
      const byId = { build: build.uid, version: '1.5.0', build_type: 'game' }
      expect((await find(byId)).uid).toBe(build.uid)
    })

    test('is found by version, type, os, arch and channel, and app', async () => {
      expect((await find(FULL)).uid).toBe(build.uid)
      expect((await find({ ...FULL, app: 'server' })).uid).toBe(dedicated.uid)
      expect((await find({ version: '2.0.0', os: 'linux', arch: 'x86_64' })).channel).toBe('stable')
    })

    test.each([
      ['nothing', {}],
      ['empty fields', { build_id: '', version: '' }],
      ['a place without a version', { os: 'linux', arch: 'x86_64', channel: 'beta' }],
      ['a version without a place', { version: '1.5.0' }],
    ])('%s is 4038', async (_, identification) => {
      expect(await codeOf(identification)).toBe(4038)
    })

    test('an unknown one is 4039, and so is one of another game', async () => {
      expect(await codeOf({ build_id: crypto.randomUUID() })).toBe(4039)
      expect(await codeOf({ build_id: 'not-a-uid' })).toBe(4039)
      expect(await codeOf({ build_id: foreign.uid })).toBe(4039)
      expect(await codeOf({ ...FULL, version: '7.0.0' })).toBe(4039)
      expect(await codeOf({ ...FULL, channel: 'stable' })).toBe(4039)
      expect(await codeOf({ ...FULL, app: 'editor' })).toBe(4039)
    })

    test.each([
      ['os', { os: 'windows' }],
      ['os that does not exist', { os: 'dos' }],
      ['arch', { arch: 'arm64' }],
      ['channel', { channel: 'stable' }],
      ['app', { app: 'server' }],
      ['version', { version: '1.6.0' }],
      ['build_type', { build_type: 'demo' }],
    ])("another %s than the build's is 4041", async (_, fields) => {
      expect(await codeOf({ build_id: build.uid, ...fields })).toBe(4041)
    })

    test.each([
      ['os', { os: 'dos' }],
      ['arch', { arch: 'z80' }],
      ['channel', { channel: 'Beta' }],
    ])('a bad %s is 4041', async (_, fields) => {
      expect(await codeOf({ ...FULL, ...fields })).toBe(4041)
    })
  })
})

describe('mod compatibility', () => {
  const modder = usePerson(server)
  const developer = usePerson(server)
  let parent: GameRow
  let mod: GameRow
  beforeAll(async () => {
    parent = await insertPublicGame(server, developer, { engines: ['godot'] })
    mod = await insertMod({ parentUid: parent.uid })
    await point('linux', 'stable', '4.2')
    await point('windows', 'stable', null)
    await point('macos', 'stable', '4.3')
    await point('linux', 'beta', '4.5')
    await point('linux', 'dev', '4.6')
    await pointChannel(
      server,
      await insertBuild(server, parent.uid, { os: 'linux', engineVersion: '3' }, 'server'),
    )
    await insertBuild(server, parent.uid, { version: '0.1', os: 'web', engineVersion: '3.0' })
  })

  async function insertMod(values: Parameters<typeof insertPublicGame>[2]): Promise<GameRow> {
    const common = { engine: 'godot', renderer: null }
    return await insertPublicGame(server, modder, {
      assetType: 'mod',
      engineCompat: [
        { ...common, min_version: '4.1', max_version: '4.2', platform: 'linux' },
        { ...common, min_version: '4.1', max_version: '4.4', platform: 'macos' },
      ],
      ...values,
    })
  }

  async function point(os: 'linux' | 'windows' | 'macos', channel: string, engineVersion: string | null) {
    await pointChannel(server, await insertBuild(server, parent.uid, { os, channel, engineVersion }))
  }

  async function readPrivate(game: GameRow): Promise<ModCompat> {
    return await readData<ModCompat>(await modder.fetch(`/api/v1/private/games/${game.uid}/mod-compat`))
  }

  async function readPublic(game: GameRow): Promise<ModCompat | null> {
    const answer = await server.fetch(`/api/v1/public/games/${game.uid}`)
    return (await readData<{ mod_compat: ModCompat | null }>(answer)).mod_compat
  }

  const EMPTY: ModCompat = { status: 'unknown', builds: [] }
  const shown = ({ builds }: ModCompat) =>
    builds.map(({ channel, os, engine_version, status }) => [channel, os, engine_version, status])

  describe('mod compatibility', () => {
    test("is told for the parent's stable and beta builds per platform", async () => {
      const compat = await readPrivate(mod)
      expect(shown(compat)).toEqual([
        ['stable', 'linux', '4.2', 'compatible'],
        ['stable', 'macos', '4.3', 'compatible'],
        ['stable', 'windows', null, 'unknown'],
        ['beta', 'linux', '4.5', 'incompatible'],
      ])
      expect(compat.status).toBe('incompatible')
    })

    test('is on the public page for the stable builds alone', async () => {
      const compat = await readPublic(mod)
      expect(compat?.status).toBe('unknown')
      expect(compat?.builds.map(({ channel }) => channel)).toEqual(['stable', 'stable', 'stable'])
    })

    test('is unknown while the parent has no builds', async () => {
      const young = await insertPublicGame(server, developer, { engines: ['godot'] })
      const child = await insertMod({ assetType: 'plugin', parentUid: young.uid })
      expect(await readPublic(child)).toEqual(EMPTY)
      expect(await readPrivate(child)).toEqual(EMPTY)
    })

    test.each([
      ['a game', { assetType: 'game' }],
      ['a tool', { assetType: 'tool' }],
      [
        'a mod of something elsewhere',
        { parentExternalName: 'Else', parentExternalUrl: 'https://example.org' },
      ],
      ['a mod without a parent', {}],
    ] as const)('is nothing for %s', async (_, values) => {
      const game = await insertMod(values)
      expect(await readPublic(game)).toBeNull()
      expect(await readPrivate(game)).toEqual(EMPTY)
    })

    test('tells nothing of a parent that was hidden since', async () => {
      const hidden = await insertPublicGame(server, developer, { engines: ['godot'] })
      await pointChannel(server, await insertBuild(server, hidden.uid, { engineVersion: '4.2' }))
      const child = await insertMod({ parentUid: hidden.uid })
      expect((await readPrivate(child)).status).toBe('compatible')
      await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, hidden.uid))
      expect(await readPrivate(child)).toEqual(EMPTY)
      expect(await readPublic(child)).toBeNull()
    })

    test('is read by owner and admins', async () => {
      expect((await developer.fetch(`/api/v1/private/games/${mod.uid}/mod-compat`)).status).toBe(403)
    })
  })
})
