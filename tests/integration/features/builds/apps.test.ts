import { beforeAll, describe, expect, test } from 'bun:test'

import type { Card, Listing, PublicFile } from '../../../../src/features/catalog/pages/model.ts'
import { loadDocuments } from '../../../../src/features/catalog/search/indexing.ts'
import type { Factsheet } from '../../../../src/features/listings/press/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { type BuildRow, insertBuild, insertFile, issueDeployKey } from '../../../helpers/builds.ts'
import { askLibrary, insertPackage, readRaw } from '../../../helpers/files/packages.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { promote, release, settle } from '../../../helpers/releases.ts'
import { indexNow, searchFor } from '../../../helpers/search/search.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
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
    const registered = await register(game, { version: '2.0.0', os: 'linux', arch: 'x86_64', app: 'server' })
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
