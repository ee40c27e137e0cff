import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { insertBuild, insertFile } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import {
  promote,
  readHistory,
  readPointers,
  readVersions,
  release,
  settle,
} from '../../../helpers/releases.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
})

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
