import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import type { ScanState } from '../../../../src/domain/builds/files.ts'
import { OPERATING_SYSTEMS } from '../../../../src/domain/builds/platforms.ts'
import { loadCards } from '../../../../src/features/catalog/pages/cards.ts'
import { loadListing } from '../../../../src/features/catalog/pages/listing.ts'
import { type BuildRow, insertBuild, insertFile } from '../../../helpers/builds.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import {
  promote,
  readHistory,
  readPointers,
  readVersions,
  release,
  rollBack,
  settle,
} from '../../../helpers/releases.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

describe('channels', () => {
  const startGame = async () => (await insertGame(server, owner)).uid
  const readUpdatedAt = async (uid: string) =>
    (await server.deps.db.select().from(games).where(eq(games.uid, uid)))[0]?.updatedAt.getTime()

  describe('when a file passes the scan, its channel moves to that build if newer', () => {
    const earlier = new Date(Date.now() - 60_000)
    const later = new Date(Date.now() + 60_000)

    test.each([
      ['1.0.0', '1.0.1', earlier, true],
      ['1.1.0', '1.0.9', later, false],
      ['1.9.0', '1.10.0', earlier, true],
      ['v1', '1.0.1', earlier, true],
      ['v2.0', 'v1.9.9', later, false],
      ['1.0.0-rc.1', '1.0.0', earlier, true],
      ['1.0.0', '1.0.0-rc.2', later, false],
      ['1.0.0', 'nightly', later, false],
      ['nightly', '0.0.1', earlier, true],
      ['build-a', 'build-b', later, true],
      ['build-b', 'build-c', earlier, false],
      ['1.0', '1.0.0', later, true],
      ['1.0', '1.0.0', earlier, false],
    ])('from %s to %s, registered %p: %p', async (from, to, createdAt, moves) => {
      const gameUid = await startGame()
      const first = await release(server, gameUid, { version: from, createdAt: new Date() })
      const second = await release(server, gameUid, { version: to, createdAt })
      const [pointer] = await readPointers(owner, gameUid)
      expect(pointer).toMatchObject({
        build_id: moves ? second.uid : first.uid,
        previous_build_id: moves ? first.uid : null,
      })
    })

    test('separately per app, channel and platform', async () => {
      const gameUid = await startGame()
      await release(server, gameUid, { version: '5.0.0' })
      await release(server, gameUid, { version: '1.0.0', channel: 'beta' })
      await release(server, gameUid, { version: '1.0.0', os: 'windows' })
      await release(server, gameUid, { version: '1.0.0', arch: 'arm64' })
      await release(server, gameUid, { version: '1.0.0', channel: 'my_team' })
      await release(server, gameUid, { version: '1.0.0' }, 'server')
      const found = await readPointers(owner, gameUid)
      expect(found.map(({ app, channel, os, arch, version }) => [app, channel, os, arch, version])).toEqual([
        ['main', 'beta', 'linux', 'x86_64', '1.0.0'],
        ['main', 'my_team', 'linux', 'x86_64', '1.0.0'],
        ['main', 'stable', 'linux', 'arm64', '1.0.0'],
        ['main', 'stable', 'linux', 'x86_64', '5.0.0'],
        ['main', 'stable', 'windows', 'x86_64', '1.0.0'],
        ['server', 'stable', 'linux', 'x86_64', '1.0.0'],
      ])
    })

    test('a second clean file of the same build moves nothing', async () => {
      const gameUid = await startGame()
      const build = await release(server, gameUid)
      await insertFile(server, build, { filename: 'extra.zip' })
      await settle(server, build)
      expect(await readHistory(owner, gameUid)).toHaveLength(1)
    })

    test("moves the page's updated_at on stable, and on no other channel", async () => {
      const gameUid = await startGame()
      const before = await readUpdatedAt(gameUid)
      await Bun.sleep(2)
      await release(server, gameUid, { channel: 'beta' })
      expect(await readUpdatedAt(gameUid)).toBe(before)
      await release(server, gameUid)
      expect(await readUpdatedAt(gameUid)).toBeGreaterThan(before ?? 0)
    })

    test('a build deleted meanwhile is left alone', async () => {
      const gameUid = await startGame()
      const build = await insertBuild(server, gameUid)
      await owner.json('DELETE', `/api/v1/private/games/${gameUid}/builds/${build.uid}`)
      await settle(server, build)
      expect(await readPointers(owner, gameUid)).toEqual([])
    })
  })

  describe('channels are told', () => {
    test('with the build, who moved them and when', async () => {
      const gameUid = await startGame()
      const [first, second] = [
        await release(server, gameUid),
        await release(server, gameUid, { version: '2.0.0' }),
      ]
      expect(await readPointers(owner, gameUid)).toEqual([
        {
          channel: 'stable',
          app: 'main',
          app_name: 'main',
          os: 'linux',
          arch: 'x86_64',
          build_id: second.uid,
          version: '2.0.0',
          previous_build_id: first.uid,
          moved_at: expect.stringMatching(/Z$/),
          moved_by: 'deploy key …abcd',
        },
      ])
      const path = `/api/v1/private/games/${gameUid}/channels/history`
      const { items, ...page } = await readData<{ items: object[] }>(
        await owner.fetch(`${path}?page=1&page_size=1`),
      )
      expect(page).toEqual({ total: 2, page: 1, page_size: 1 })
      expect(items).toMatchObject([
        {
          kind: 'upload',
          channel: 'stable',
          app: 'main',
          app_name: 'main',
          os: 'linux',
          arch: 'x86_64',
          from_build_id: first.uid,
          from_version: '1.0.0',
          to_build_id: second.uid,
          to_version: '2.0.0',
          moved_by: 'deploy key …abcd',
        },
      ])
    })

    test('to agents with mcp:builds.read', async () => {
      const gameUid = await startGame()
      const { access_token } = await obtainToken(server, owner, 'mcp:builds.read')
      const init = { headers: { authorization: `Bearer ${access_token}` } }
      const path = `/api/v1/private/games/${gameUid}`
      expect((await server.fetch(`${path}/channels`, init)).status).toBe(200)
      expect((await server.fetch(`${path}/channels/history`, init)).status).toBe(200)
      expect((await server.fetch(`${path}/builds`, init)).status).toBe(200)
      const answer = await server.fetch(`${path}/channels/beta/rollback`, { ...init, method: 'POST' })
      expect(await readFailure(answer)).toMatchObject({ status: 403, code: 4031 })
    })
  })

  describe('promoting', () => {
    test("points another channel at the build on the build's own platform", async () => {
      const gameUid = await startGame()
      await release(server, gameUid, { version: '1.0.0', os: 'windows' })
      const build = await release(server, gameUid, { version: '2.0.0', channel: 'beta' })
      const answer = await promote(owner, gameUid, build)
      expect(answer.status).toBe(200)
      expect(await readData(answer)).toMatchObject({
        channel: 'stable',
        app: 'main',
        app_name: 'main',
        os: 'linux',
        build_id: build.uid,
        previous_build_id: null,
      })
      expect(await readVersions(owner, gameUid)).toEqual(['linux 2.0.0', 'windows 1.0.0'])
      expect((await readHistory(owner, gameUid))[0]).toMatchObject({ kind: 'promote', to_version: '2.0.0' })
    })

    test('may go back to an older version', async () => {
      const gameUid = await startGame()
      const old = await release(server, gameUid, { version: '1.0.0' })
      await release(server, gameUid, { version: '2.0.0' })
      await promote(owner, gameUid, old)
      expect(await readVersions(owner, gameUid)).toEqual(['linux 1.0.0'])
    })

    test('what a channel points at already changes nothing', async () => {
      const gameUid = await startGame()
      const build = await release(server, gameUid)
      expect((await promote(owner, gameUid, build)).status).toBe(200)
      expect(await readHistory(owner, gameUid)).toHaveLength(1)
    })

    test.each([
      ['without files', [], 409],
      ['with a clean file', ['clean'], 200],
      ['with a file being scanned', ['clean', 'scanning'], 409],
      ['with an infected file', ['clean', 'infected'], 409],
      ['with a failed scan', ['error'], 409],
    ] as const)('a build %s: %s answers %d', async (_, scans, status) => {
      const gameUid = await startGame()
      const build = await insertBuild(server, gameUid, { channel: 'dev' })
      for (const [index, scan] of scans.entries()) {
        await insertFile(server, build, { scan, filename: `part-${index}.zip` })
      }
      const answer = await promote(owner, gameUid, build, 'beta')
      expect(answer.status).toBe(status)
      if (status === 409) expect(await readFailure(answer)).toMatchObject({ code: 4090 })
    })

    test('a file uploaded again counts by its newest upload', async () => {
      const gameUid = await startGame()
      const build = await insertBuild(server, gameUid, { channel: 'dev' })
      await insertFile(server, build, { scan: 'error', uploadedAt: new Date(Date.now() - 1000) })
      expect((await promote(owner, gameUid, build, 'beta')).status).toBe(409)
      await insertFile(server, build)
      expect((await promote(owner, gameUid, build, 'beta')).status).toBe(200)
    })

    test.each([
      ['an unknown build', 'stable', { build_id: crypto.randomUUID() }, 404, 4039],
      ['no uid', 'stable', { build_id: 'x' }, 404, 4039],
      ['no build', 'stable', {}, 400, 4000],
      ['an unknown field', 'stable', { build_id: 'x', colour: 'red' }, 400, 4000],
      ['a channel that cannot be', 'Not-a-channel', { build_id: 'x' }, 400, 4041],
    ])('%s is refused', async (_, channel, body, status, code) => {
      const path = `/api/v1/private/games/${await startGame()}/channels/${channel}/promote`
      expect(await readFailure(await owner.json('POST', path, body))).toMatchObject({ status, code })
    })

    test("another game's build is 404/4039, a build of another app 400/4041", async () => {
      const [gameUid, other] = [await startGame(), await startGame()]
      const foreign = await release(server, other)
      expect(await readFailure(await promote(owner, gameUid, foreign))).toMatchObject({ code: 4039 })
      const build = await release(server, gameUid, {}, 'server')
      const path = `/api/v1/private/games/${gameUid}/channels/beta/promote`
      const answer = await owner.json('POST', path, { build_id: build.uid, app: 'main' })
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4041 })
      expect((await owner.json('POST', path, { build_id: build.uid, app: 'server' })).status).toBe(200)
    })
  })
})

describe('public channels', () => {
  interface PublicFile {
    file_uid: string
    os: string
    version: string
    build_id: string
  }

  interface Shown {
    files: PublicFile[]
    updated_at: string
  }

  const readPage = async (game: GameRow) =>
    await readData<Shown>(await server.fetch(`/api/v1/public/games/${game.uid}`))
  const versionsOn = async (game: GameRow) =>
    (await readPage(game)).files.map(({ os, version }) => `${os} ${version}`)
  const readFiles = async (game: GameRow, query = '') =>
    await readData<{ items: PublicFile[]; total: number }>(
      await server.fetch(`/api/v1/public/user/${owner.uid}/games/${game.uid}/files${query}`),
    )
  const readWarnings = async (game: GameRow) => {
    const lint = await readData<{ warnings: { code: string }[] }>(
      await owner.fetch(`/api/v1/private/games/${game.uid}/lint`),
    )
    return lint.warnings.map(({ code }) => code)
  }
  const insertWith = async (game: GameRow, values: Partial<BuildRow>, ...scans: ScanState[]) => {
    const build = await insertBuild(server, game.uid, values)
    for (const [index, scan] of scans.entries()) {
      await insertFile(server, build, { scan, filename: `part-${index}.zip` })
    }
    return build
  }

  describe('a public page', () => {
    test('lists the clean files of the builds that stable points at, and no others', async () => {
      const game = await insertPublicGame(server, owner)
      await release(server, game.uid, { version: '1.0.0' })
      await release(server, game.uid, { version: '3.0.0', channel: 'beta' })
      await release(server, game.uid, { version: '4.0.0', channel: 'dev' })
      await release(server, game.uid, { version: '5.0.0', channel: 'friends' })
      const build = await insertWith(
        game,
        { version: '2.0.0', os: 'windows' },
        'clean',
        'scanning',
        'infected',
      )
      await settle(server, build)
      expect(await versionsOn(game)).toEqual(['linux 1.0.0', 'windows 2.0.0'])
      const [, shown] = (await readPage(game)).files
      expect(shown).toEqual({
        file_uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        filename: 'part-0.zip',
        size: 1000,
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
        app: 'main',
        app_name: 'main',
        os: 'windows',
        arch: 'x86_64',
        channel: 'stable',
        version: '2.0.0',
        build_id: build.uid,
        scan: 'clean',
        scan_engine: null,
        uploaded_at: expect.stringMatching(/Z$/),
        apk: false,
      } as unknown as PublicFile)
    })

    test('follows the channel at once: upload, promotion, rollback, deletion', async () => {
      const game = await insertPublicGame(server, owner)
      expect(await versionsOn(game)).toEqual([])
      await release(server, game.uid, { version: '1.0.0' })
      expect(await versionsOn(game)).toEqual(['linux 1.0.0'])
      const next = await release(server, game.uid, { version: '2.0.0', channel: 'beta' })
      expect(await versionsOn(game)).toEqual(['linux 1.0.0'])
      await promote(owner, game.uid, next)
      expect(await versionsOn(game)).toEqual(['linux 2.0.0'])
      await rollBack(owner, game.uid)
      expect(await versionsOn(game)).toEqual(['linux 1.0.0'])
      await promote(owner, game.uid, next)
      await owner.json('DELETE', `/api/v1/private/games/${game.uid}/builds/${next.uid}`)
      expect(await versionsOn(game)).toEqual(['linux 1.0.0'])
    })

    test('lists the files of every app, and pages them on their own route', async () => {
      const game = await insertPublicGame(server, owner)
      await release(server, game.uid, { os: 'windows' })
      await release(server, game.uid, { os: 'linux' }, 'server')
      await release(server, game.uid, { os: 'linux' })
      const all = await readFiles(game)
      expect(all.items.map(({ os }) => os)).toEqual(['linux', 'windows', 'linux'])
      expect(all.items).toEqual((await readPage(game)).files)
      const second = await readFiles(game, '?page=2&page_size=2')
      expect(second).toMatchObject({ total: 3, page: 2, page_size: 2 })
      expect(second.items).toEqual(all.items.slice(2))
    })

    test('is read with as many statements whatever it has to download', async () => {
      const [empty, full] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
      for (const os of OPERATING_SYSTEMS) await release(server, full.uid, { os })
      const count = async (game: GameRow) =>
        (await watchStatements(server, () => loadListing(server.deps, game.uid))).length
      expect(await count(full)).toBe(await count(empty))
    })

    test('moves its updated_at with a new stable build', async () => {
      const game = await insertPublicGame(server, owner)
      const before = (await readPage(game)).updated_at
      await Bun.sleep(2)
      await release(server, game.uid)
      expect((await readPage(game)).updated_at > before).toBe(true)
    })
  })

  describe('a card', () => {
    test.each([
      ['none without files', [], null, []],
      ['clean', ['clean'], 'clean', ['linux']],
      ['clean before all others', ['infected', 'error', 'scanning', 'clean'], 'clean', ['linux']],
      ['scanning before failures', ['infected', 'error', 'scanning'], 'scanning', []],
      ['an error before an infection', ['infected', 'error'], 'error', []],
      ['infected', ['infected'], 'infected', []],
    ] as const)(
      'tells the best scan state across the stable files: %s',
      async (_, scans, scan, platforms) => {
        const game = await insertPublicGame(server, owner)
        const build = await insertWith(game, {}, ...scans)
        if (scans.some((state) => state === 'clean')) await settle(server, build)
        const [card] = await loadCards(server.deps, [game.uid])
        expect(card).toMatchObject({ scan, platforms: [...platforms] })
      },
    )

    test('tells the systems stable points at now, and nothing of other channels', async () => {
      const game = await insertPublicGame(server, owner)
      await release(server, game.uid, { os: 'windows', version: '1.0.0' })
      await release(server, game.uid, { os: 'web', arch: 'wasm32' })
      await release(server, game.uid, { os: 'linux', arch: 'arm64' })
      await release(server, game.uid, { os: 'linux', arch: 'x86_64' })
      await release(server, game.uid, { os: 'macos', channel: 'beta' })
      const [card] = await loadCards(server.deps, [game.uid])
      expect(card?.platforms).toEqual(['linux', 'web', 'windows'])
    })
  })

  test('the listing check warns as long as no system has a clean stable build', async () => {
    const game = await insertPublicGame(server, owner)
    const wanted = expect.arrayContaining(['no_stable_build', 'no_platforms']) as string[]
    await release(server, game.uid, { channel: 'beta' })
    await insertWith(game, { version: '0.1.0' }, 'scanning')
    expect(await readWarnings(game)).toEqual(wanted)
    await release(server, game.uid)
    expect(await readWarnings(game)).not.toContain('no_stable_build')
    expect(await readWarnings(game)).not.toContain('no_platforms')
  })

  test('the press page tells the same systems', async () => {
    const game = await insertPublicGame(server, owner)
    await release(server, game.uid, { os: 'windows' })
    const press = await readData(await server.fetch(`/api/v1/public/games/${game.uid}/press`))
    expect(press).toMatchObject({ platforms: ['windows'] })
  })
})
