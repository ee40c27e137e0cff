import { beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { fileEntries } from '../../../../src/db/schema/builds.ts'
import type { LicenseKind } from '../../../../src/domain/listings/licenses.ts'
import type { BundleCheck } from '../../../../src/features/builds/comparison/model.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type BuildRow, insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin, insertGame, insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let developer: Person
let artist: Person
beforeAll(async () => {
  ;[developer, artist] = [await signUp(server), await signUp(server)]
})

type GameValues = Parameters<typeof insertPublicGame>[2]
type FileValues = Parameters<typeof insertFile>[2]

/** Files inside a zip by their path; equal texts are equal files. */
function entriesOf(contents: Record<string, string>, size = 1024) {
  return Object.entries(contents).map(([path, text]) => ({ path, size, sha256: sha256Hex(text) }))
}

async function insertPack(
  contents: Record<string, string>,
  values: GameValues = {},
  owner = artist,
  fileValues: FileValues = {},
) {
  const pack = await insertPublicGame(server, owner, { assetType: 'game_asset', ...values })
  const build = await insertBuild(server, pack.uid)
  await pointChannel(server, build)
  await insertFile(server, build, fileValues, entriesOf(contents))
  return pack
}

async function insertGameBuild(contents: Record<string, string>, size = 1024): Promise<BuildRow> {
  const game = await insertGame(server, developer)
  const build = await insertBuild(server, game.uid, { channel: 'dev' })
  await insertFile(server, build, {}, entriesOf(contents, size))
  return build
}

const pathOf = ({ gameUid, uid }: Pick<BuildRow, 'gameUid' | 'uid'>) =>
  `/api/v1/private/games/${gameUid}/builds/${uid}/bundle-check`

async function check(build: BuildRow, who = developer): Promise<BundleCheck['matches']> {
  return (await readData<BundleCheck>(await who.fetch(pathOf(build)))).matches
}

describe('the bundle check', () => {
  test('names the pack, how it stands, and up to five of the files', async () => {
    const names = ['ash', 'beech', 'cedar', 'elm', 'fir', 'gum', 'hazel']
    const contents = Object.fromEntries(names.map((name) => [`${name}.png`, `the tree ${name}`]))
    const pack = await insertPack(contents, { licenseKind: 'paid' })
    const own = Object.fromEntries(Object.entries(contents).map(([path, text]) => [`data/${path}`, text]))
    const build = await insertGameBuild({ ...own, 'data/mine.png': 'of my own' })
    expect(await check(build)).toEqual([
      {
        pack: { uid: pack.uid, vanity_name: pack.vanityName, name: pack.name },
        status: 'unlicensed',
        license_kind: 'paid',
        files: names.slice(0, 5).map((name) => `data/${name}.png`),
        count: 7,
      },
    ])
  })

  test.each<[status: string, kind: LicenseKind | null, hasLicense: boolean, owns: boolean]>([
    ['owned', 'paid', false, true],
    ['owned', null, false, true],
    ['licensed', 'paid', true, false],
    ['licensed', 'proprietary', true, false],
    ['licensed', 'cc0', false, false],
    ['attribution', 'cc-by', false, false],
    ['attribution', 'cc-by-sa', false, false],
    ['unlicensed', 'paid', false, false],
    ['unlicensed', 'source-available', false, false],
    ['unlicensed', 'proprietary', false, false],
    ['unlicensed', null, false, false],
  ])('%s: a pack of kind %p, licence %p, own %p', async (status, licenseKind, hasLicense, owns) => {
    const text = createUid()
    const pack = await insertPack({ 'a.png': text }, { licenseKind }, owns ? developer : artist)
    if (hasLicense) await insertLicense(server, pack.uid, developer)
    expect(await check(await insertGameBuild({ 'a.png': text }))).toMatchObject([
      { status, license_kind: licenseKind },
    ])
  })

  test('looks at files of 1 KB and more', async () => {
    const text = createUid()
    await insertPack({ 'a.png': text })
    expect(await check(await insertGameBuild({ 'a.png': text }, 1023))).toEqual([])
    expect(await check(await insertGameBuild({ 'a.png': text }, 1024))).toHaveLength(1)
  })

  test.each<[string, GameValues, FileValues]>([
    ['a draft of another developer', { visibility: 'draft' }, {}],
    ["another owner's page", { visibility: 'owner' }, {}],
    ['an invisible page', { visibility: 'invisible' }, {}],
    ['a game', { assetType: 'game' }, {}],
    ['a mod', { assetType: 'mod' }, {}],
    ['a file that is still scanned', {}, { scan: 'scanning' }],
    ['an infected file', {}, { scan: 'infected' }],
  ])('never shows %s', async (_, values, fileValues) => {
    const text = createUid()
    await insertPack({ 'a.png': text }, values, artist, fileValues)
    expect(await check(await insertGameBuild({ 'a.png': text }))).toEqual([])
  })

  test('shows own packs whatever their visibility, to their owner alone', async () => {
    const text = createUid()
    await insertPack({ 'a.png': text }, { assetType: 'dev_asset', visibility: 'draft' }, developer)
    const build = await insertGameBuild({ 'a.png': text })
    expect(await check(build)).toMatchObject([{ status: 'owned' }])
    const admin = await signUp(server)
    await insertAdmin(server, build.gameUid, admin, 'accepted')
    expect(await check(build, admin)).toEqual([])
  })

  test('looks at what stable points at, not at earlier builds', async () => {
    const [old, now] = [createUid(), createUid()]
    const pack = await insertPack({ 'a.png': old })
    const build = await insertBuild(server, pack.uid, { version: '2' })
    await insertFile(server, build, {}, entriesOf({ 'a.png': now }))
    await pointChannel(server, build)
    expect(await check(await insertGameBuild({ 'a.png': old }))).toEqual([])
    expect(await check(await insertGameBuild({ 'a.png': now }))).toHaveLength(1)
  })

  test('puts first what needs looking at', async () => {
    const text = createUid()
    const kinds = ['cc0', 'paid', 'cc-by'] as const
    for (const licenseKind of kinds) await insertPack({ 'a.png': text }, { licenseKind })
    const matches = await check(await insertGameBuild({ 'a.png': text }))
    expect(matches.map(({ status }) => status)).toEqual(['unlicensed', 'attribution', 'licensed'])
  })

  test('stays quick for a large build', async () => {
    const build = await insertGameBuild({})
    const file = await insertFile(server, build, { filename: 'large.zip' })
    const pack = await insertPack({})
    const packBuild = await insertBuild(server, pack.uid, { version: '3' })
    await pointChannel(server, packBuild)
    const packFile = await insertFile(server, packBuild)
    for (const [uid, every] of [
      [file.uid, 1],
      [packFile.uid, 2],
    ] as const) {
      await server.deps.db.execute(sql`
        insert into ${fileEntries} (file_uid, path, size, sha256)
        select ${uid}::uuid, 'data/' || lpad(n::text, 6, '0'), 2000, md5('large ' || n)
        from generate_series(1, 20000, ${every}::int) as n`)
    }
    expect(await check(build)).toMatchObject([{ count: 10_000, files: { length: 5 } }])
  })

  test('is for owner and admins, and builds of the game', async () => {
    const build = await insertGameBuild({})
    expect((await artist.fetch(pathOf(build))).status).toBe(404)
    for (const uid of [createUid(), 'latest', (await insertGameBuild({})).uid]) {
      const answer = await developer.fetch(pathOf({ gameUid: build.gameUid, uid }))
      expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4039 })
    }
  })
})
