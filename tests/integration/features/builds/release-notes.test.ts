import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { fileEntries } from '../../../../src/db/schema/builds.ts'
import type { LicenseKind } from '../../../../src/domain/listings/listing.ts'
import type { StoreReleases } from '../../../../src/features/asset-library/model.ts'
import { settleChannel } from '../../../../src/features/builds/channels/moves.ts'
import type { BundleCheck } from '../../../../src/features/builds/comparison/model.ts'
import type { Listing } from '../../../../src/features/catalog/pages/model.ts'
import type { ChangelogEntry } from '../../../../src/features/listings/changelog/model.ts'
import type { Factsheet } from '../../../../src/features/listings/press/model.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import {
  type BuildRow,
  insertBuild,
  insertFile,
  issueDeployKey,
  pointChannel,
} from '../../../helpers/builds.ts'
import { askLibrary, insertPackage, readRaw } from '../../../helpers/files/packages.ts'
import { makeZip } from '../../../helpers/files/zips.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertGame,
  insertLicense,
  insertPublicGame,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { promote, release, rollBack } from '../../../helpers/releases.ts'
import { runScanNow } from '../../../helpers/scans.ts'
import { indexNow } from '../../../helpers/search/search.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { fileForm, postFile } from '../../../helpers/uploads/uploads.ts'

const server = useStore({ TRUST_PROXY: '1' })

describe('release notes', () => {
  let owner: Person
  let game: GameRow
  beforeAll(async () => {
    owner = await signUp(server)
  })
  beforeEach(async () => {
    game = await insertPublicGame(server, owner)
  })

  const ITEMS = [
    { title: 'The lamp turns', description: 'Twice a minute.' },
    { title: 'Stars', description: '' },
  ]
  const NOTES = {
    version: '1.2.0',
    title: 'The night update',
    description: 'Now with **stars**.',
    changelogItems: ITEMS,
  }

  const readChanges = async () => {
    const answer = await server.fetch(`/api/v1/public/games/${game.uid}`)
    return (await readData<Listing>(answer)).changelog
  }
  const pathOf = ({ uid }: ChangelogEntry) => `/api/v1/private/games/${game.uid}/changelog/${uid}`
  const readPage = async (path: string) => await (await server.fetch(path)).text()

  describe('the notes of a build', () => {
    test('are a changelog entry of the listing once it is on stable', async () => {
      await release(server, game.uid, NOTES)
      expect(await readChanges()).toEqual([
        {
          uid: expect.any(String),
          title: 'The night update',
          version: '1.2.0',
          body: 'Now with **stars**.',
          body_html: expect.stringContaining('<strong>stars</strong>'),
          items: ITEMS,
          created_at: expect.any(String),
        },
      ])
    })

    test('sent by the API are on the store page when the scan of its file has ended', async () => {
      const key = await issueDeployKey(server, game.uid)
      const registered = await server.fetch('/api/v1/tool/upload/build', {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json' },
        body: JSON.stringify({ version: '1.2.0', os: 'linux', arch: 'x86_64', changelog_items: ITEMS }),
      })
      const { build_id } = await readData<{ build_id: string }>(registered)
      const zip = makeZip([{ name: 'game.pck', data: new Uint8Array(2000) }])
      const uploaded = await postFile(server, key, fileForm({ uid: build_id }, zip))
      expect(await readPage(`/games/${game.vanityName}`)).not.toContain('The lamp turns')
      await runScanNow(server, (await readData<{ file_uid: string }>(uploaded)).file_uid)
      expect(await readPage(`/games/${game.vanityName}`)).toContain('The lamp turns')
    })

    test('have the version as title when the build has none', async () => {
      await release(server, game.uid, { ...NOTES, title: ' ' })
      expect(await readChanges()).toMatchObject([{ title: '1.2.0', version: '1.2.0' }])
    })

    test('are on the store page, its changelog, the press page, the press kit and the feed', async () => {
      await release(server, game.uid, NOTES)
      await indexNow(server)
      const page = `/games/${game.vanityName}`
      for (const path of [page, `${page}/changelog`, `${page}/press`, '/feed.xml']) {
        const text = await readPage(path)
        for (const wanted of ['The night update', 'The lamp turns', 'Twice a minute.']) {
          expect([path, text.includes(wanted)]).toEqual([path, true])
        }
      }
      const press = await server.fetch(`/api/v1/public/games/${game.uid}/press`)
      expect((await readData<Factsheet>(press)).changelog).toMatchObject([{ items: ITEMS }])
    })

    test('are written once for all platforms of a version, as the first of them says', async () => {
      await release(server, game.uid, NOTES)
      await release(server, game.uid, {
        ...NOTES,
        os: 'windows',
        changelogItems: [{ title: 'Other', description: '' }],
      })
      expect(await readChanges()).toMatchObject([{ items: ITEMS }])
    })

    test('are written once when the scans of all platforms end together', async () => {
      const systems = ['linux', 'windows', 'macos', 'android'] as const
      const builds = await Promise.all(systems.map((os) => insertBuild(server, game.uid, { ...NOTES, os })))
      await Promise.all(builds.map((build) => insertFile(server, build)))
      const { db } = server.deps
      await Promise.all(builds.map(({ uid }) => db.transaction((tx) => settleChannel(tx, uid, 'a test'))))
      expect(await readChanges()).toHaveLength(1)
    })

    test('of the first platform that has any count', async () => {
      await release(server, game.uid, { ...NOTES, changelogItems: [] })
      expect(await readChanges()).toEqual([])
      await release(server, game.uid, { ...NOTES, os: 'windows' })
      expect(await readChanges()).toMatchObject([{ items: ITEMS }])
    })

    test('wait on beta until the build is promoted', async () => {
      const build = await release(server, game.uid, { ...NOTES, channel: 'beta' })
      expect(await readChanges()).toEqual([])
      await promote(owner, game.uid, build)
      expect(await readChanges()).toMatchObject([{ items: ITEMS }])
    })

    test('stay after a rollback, and are not repeated by another promotion', async () => {
      await release(server, game.uid, { ...NOTES, version: '1.0.0', title: 'First' })
      const next = await release(server, game.uid, NOTES)
      await rollBack(owner, game.uid)
      await promote(owner, game.uid, next)
      expect((await readChanges()).map(({ title }) => title)).toEqual(['The night update', 'First'])
    })

    test('of another app are none of the game', async () => {
      await release(server, game.uid, NOTES, 'server')
      expect(await readChanges()).toEqual([])
    })

    test('of a build that was on stable before it had any are none', async () => {
      const build = await release(server, game.uid, { ...NOTES, changelogItems: [] })
      await release(server, game.uid, { version: '1.3.0' })
      const { version, os, arch } = build
      await owner.json('POST', `/api/v1/private/games/${game.uid}/builds`, {
        version,
        os,
        arch,
        changelog_items: ITEMS,
      })
      await promote(owner, game.uid, build)
      expect(await readChanges()).toEqual([])
    })

    test('as many and as long as a registration may have', async () => {
      const changelogItems = Array.from({ length: 100 }, (_, n) => ({
        title: `${n}`.padEnd(255, 't'),
        description: 'd'.repeat(2000),
      }))
      await release(server, game.uid, { ...NOTES, title: 't'.repeat(255), changelogItems })
      const [entry] = await readChanges()
      expect(entry?.items).toEqual(changelogItems)
      const saved = await owner.json('PATCH', pathOf(entry as ChangelogEntry), entry)
      expect(await readData<ChangelogEntry>(saved)).toEqual(entry as ChangelogEntry)
    })
  })

  describe('an entry that a build wrote', () => {
    test('can be edited like any other, and a second platform leaves it alone', async () => {
      await release(server, game.uid, NOTES)
      const [entry] = (await readChanges()) as [ChangelogEntry]
      const items = [{ title: 'The lamp turns slowly', description: '' }]
      await owner.json('PATCH', pathOf(entry), { title: 'Night', version: '1.2', items })
      await release(server, game.uid, { ...NOTES, os: 'windows' })
      expect(await readChanges()).toEqual([{ ...entry, title: 'Night', version: '1.2', items }])
    })

    test('does not come back once it is deleted', async () => {
      await release(server, game.uid, NOTES)
      const [entry] = (await readChanges()) as [ChangelogEntry]
      await owner.json('DELETE', pathOf(entry))
      await release(server, game.uid, { ...NOTES, os: 'windows' })
      expect(await readChanges()).toEqual([])
    })

    test('is what editors show for the release', async () => {
      const { game: pack } = await insertPackage(server, owner)
      game = pack
      await release(server, pack.uid, NOTES)
      const read = async () => {
        const answer = await askLibrary(server, `/releases/anyone/${pack.vanityName}/`)
        const [first] = await readRaw<StoreReleases>(answer)
        return first?.changes_bbcode ?? ''
      }
      expect(await read()).toContain('• The lamp turns: Twice a minute.')
      const [entry] = (await readChanges()) as [ChangelogEntry]
      await owner.json('PATCH', pathOf(entry), { items: [{ title: 'Slower', description: '' }] })
      expect(await read()).toContain('• Slower')
      await owner.json('DELETE', pathOf(entry))
      expect(await read()).toBe('')
    })
  })
})

describe('checking a bundle', () => {
  const developer = usePerson(server)
  const artist = usePerson(server)

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
})
