import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { channelMoves, files } from '../../../../src/db/schema/builds.ts'
import { type BuildRow, insertBuild, insertFile } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import {
  promote,
  readHistory,
  readPointers,
  readVersions,
  release,
  rollBack,
  settle,
} from '../../../helpers/releases.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const startGame = async () => (await insertGame(server, owner)).uid
const remove = async (gameUid: string, build: BuildRow | undefined) =>
  (await owner.json('DELETE', `/api/v1/private/games/${gameUid}/builds/${build?.uid}`)).status

/** Released one after the other, in the order given: `linux 1.0.0`. */
async function releaseAll(gameUid: string, ...names: string[]): Promise<BuildRow[]> {
  const made: BuildRow[] = []
  for (const name of names) {
    const [os = '', version = ''] = name.split(' ')
    made.push(await release(server, gameUid, { os: os as BuildRow['os'], version }))
  }
  return made
}

/** What stable shows after each rollback, until there is nothing left. */
async function walkBack(gameUid: string): Promise<string[][]> {
  const steps: string[][] = []
  while ((await rollBack(owner, gameUid)).status === 200) steps.push(await readVersions(owner, gameUid))
  return steps
}

describe('a rollback', () => {
  test('goes to the build the channel pointed at before, step by step, until nothing is left', async () => {
    const gameUid = await startGame()
    await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0', 'linux 1.2.0')
    const answer = await rollBack(owner, gameUid)
    expect(await readData(answer)).toMatchObject({
      items: [{ channel: 'stable', os: 'linux', version: '1.1.0' }],
    })
    expect(await walkBack(gameUid)).toEqual([['linux 1.0.0']])
    expect(await readFailure(await rollBack(owner, gameUid))).toMatchObject({ status: 409, code: 4090 })
    expect(
      (await readHistory(owner, gameUid)).map(({ kind, to_version }) => `${kind} ${to_version}`),
    ).toEqual(['rollback 1.0.0', 'rollback 1.1.0', 'upload 1.2.0', 'upload 1.1.0', 'upload 1.0.0'])
  })

  test('undoes one release on every platform that shows its version', async () => {
    const gameUid = await startGame()
    await releaseAll(gameUid, 'linux 1.0.0', 'windows 1.0.0', 'macos 1.5.0', 'linux 2.0.0', 'windows 2.0.0')
    await rollBack(owner, gameUid)
    expect(await readVersions(owner, gameUid)).toEqual(['linux 1.0.0', 'macos 1.5.0', 'windows 1.0.0'])
    expect(await readFailure(await rollBack(owner, gameUid))).toMatchObject({ code: 4090 })
  })

  test('walks through the releases of all platforms in the order they came', async () => {
    const gameUid = await startGame()
    await releaseAll(gameUid, 'linux 1.0.0', 'windows 1.0.0', 'windows 1.1.0', 'linux 1.2.0', 'windows 1.3.0')
    expect(await walkBack(gameUid)).toEqual([
      ['linux 1.2.0', 'windows 1.1.0'],
      ['linux 1.0.0', 'windows 1.1.0'],
      ['linux 1.0.0', 'windows 1.0.0'],
    ])
  })

  test('a platform with nothing before stays while others go on', async () => {
    const gameUid = await startGame()
    await releaseAll(gameUid, 'windows 0.8.0', 'windows 0.9.0', 'windows 1.0.0', 'linux 1.0.0')
    expect(await walkBack(gameUid)).toEqual([
      ['linux 1.0.0', 'windows 0.9.0'],
      ['linux 1.0.0', 'windows 0.8.0'],
    ])
  })

  test('undoes promotions too, and goes on below after a newer release', async () => {
    const gameUid = await startGame()
    const [, second] = await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0')
    await rollBack(owner, gameUid)
    await releaseAll(gameUid, 'linux 1.2.0')
    if (second) await promote(owner, gameUid, second)
    expect(await walkBack(gameUid)).toEqual([['linux 1.2.0'], ['linux 1.0.0']])
  })

  test('a channel that went back and forth is walked the way it came', async () => {
    const gameUid = await startGame()
    const [first, second] = await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0')
    if (first) await promote(owner, gameUid, first)
    if (second) await promote(owner, gameUid, second)
    expect(await walkBack(gameUid)).toEqual([['linux 1.0.0'], ['linux 1.1.0'], ['linux 1.0.0']])
  })

  test('skips deleted builds and those without a clean file', async () => {
    const gameUid = await startGame()
    const made = await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0', 'linux 1.2.0', 'linux 1.3.0')
    await remove(gameUid, made[2])
    await server.deps.db.delete(files).where(eq(files.buildUid, made[1]?.uid ?? ''))
    expect(await walkBack(gameUid)).toEqual([['linux 1.0.0']])
  })

  test('leaves other apps and channels alone', async () => {
    const gameUid = await startGame()
    await releaseAll(gameUid, 'linux 1.0.0', 'linux 2.0.0')
    for (const version of ['1.0.0', '2.0.0']) {
      await release(server, gameUid, { version }, 'server')
      await release(server, gameUid, { version, channel: 'beta' })
    }
    expect((await rollBack(owner, gameUid, 'stable', 'server')).status).toBe(200)
    expect(await readVersions(owner, gameUid, 'stable', 'server')).toEqual(['linux 1.0.0'])
    expect(await readVersions(owner, gameUid, 'stable')).toEqual(['linux 2.0.0'])
    expect(await readVersions(owner, gameUid, 'beta')).toEqual(['linux 2.0.0'])
  })

  test.each([
    ['an empty channel', 'stable', undefined, 409, 4090],
    ['an unknown app', 'stable', 'nowhere', 404, 4040],
    ['a channel that cannot be', 'No', undefined, 400, 4041],
  ])('of %s is refused', async (_, channel, app, status, code) => {
    const gameUid = await startGame()
    await release(server, gameUid, { channel: 'beta' })
    expect(await readFailure(await rollBack(owner, gameUid, channel, app))).toMatchObject({ status, code })
  })

  test('needs no body', async () => {
    const gameUid = await startGame()
    await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0')
    const path = `/api/v1/private/games/${gameUid}/channels/stable/rollback`
    expect((await owner.json('POST', path)).status).toBe(200)
  })
})

describe('deleting a build a channel points at', () => {
  test('falls back to the newest clean one before it', async () => {
    const gameUid = await startGame()
    const made = await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0', 'linux 1.2.0')
    expect(await remove(gameUid, made[2])).toBe(200)
    expect(await readVersions(owner, gameUid)).toEqual(['linux 1.1.0'])
    const [newest] = await readHistory(owner, gameUid)
    expect(newest).toMatchObject({
      kind: 'fallback',
      moved_by: 'Playshelf',
      from_build_id: null,
      from_version: '1.2.0',
      to_version: '1.1.0',
    })
    expect(await walkBack(gameUid)).toEqual([['linux 1.0.0']])
  })

  test('falls back to an older build that never came into the history', async () => {
    const gameUid = await startGame()
    const made = await releaseAll(gameUid, 'linux 2.0.0', 'linux 1.8.0', 'linux 1.9.0')
    await remove(gameUid, made[0])
    expect(await readVersions(owner, gameUid)).toEqual(['linux 1.9.0'])
  })

  test('never goes forward to what was rolled back', async () => {
    const gameUid = await startGame()
    const made = await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0')
    await rollBack(owner, gameUid)
    await remove(gameUid, made[0])
    expect(await readVersions(owner, gameUid)).toEqual([])
  })

  test('points nowhere when none is left, and at the next release again', async () => {
    const gameUid = await startGame()
    const [only] = await releaseAll(gameUid, 'linux 1.0.0')
    await remove(gameUid, only)
    expect(await readVersions(owner, gameUid)).toEqual([])
    await releaseAll(gameUid, 'linux 0.5.0')
    expect(await readVersions(owner, gameUid)).toEqual(['linux 0.5.0'])
  })

  test('moves every channel that points at it', async () => {
    const gameUid = await startGame()
    const [, second] = await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0')
    if (!second) throw new Error('Nothing was released')
    await promote(owner, gameUid, second, 'beta')
    await remove(gameUid, second)
    expect(await readVersions(owner, gameUid, 'stable')).toEqual(['linux 1.0.0'])
    expect(await readVersions(owner, gameUid, 'beta')).toEqual([])
  })

  test('a listing goes with its builds, channels and history', async () => {
    const gameUid = await startGame()
    await releaseAll(gameUid, 'linux 1.0.0', 'linux 1.1.0', 'windows 1.1.0')
    await rollBack(owner, gameUid)
    expect((await owner.json('DELETE', `/api/v1/private/games/${gameUid}`)).status).toBe(200)
  })
})

const versions = Array.from({ length: 8 }, (_, index) => `1.${index}.0`)

async function insertClean(gameUid: string, version: string): Promise<BuildRow> {
  const build = await insertBuild(server, gameUid, { version })
  await insertFile(server, build)
  return build
}

/** Every move but the first starts where another one ended. */
async function expectOneChain(gameUid: string): Promise<void> {
  const moves = await server.deps.db.select().from(channelMoves).where(eq(channelMoves.gameUid, gameUid))
  expect(moves.filter(({ fromVersion }) => fromVersion === null)).toHaveLength(1)
  const starts = moves.flatMap(({ fromBuildUid }) => fromBuildUid ?? [])
  expect(new Set(starts).size).toBe(starts.length)
}

describe('at once', () => {
  test('eight scans that settle one channel leave it at the newest build', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gameUid = await startGame()
      const made = await Promise.all(versions.map((version) => insertClean(gameUid, version)))
      await Promise.all(made.toReversed().map((build) => settle(server, build)))
      expect(await readVersions(owner, gameUid)).toEqual(['linux 1.7.0'])
      await expectOneChain(gameUid)
    }
  })

  test('a scan that ends twice moves the channel once', async () => {
    const gameUid = await startGame()
    const build = await insertClean(gameUid, '1.0.0')
    await Promise.all([settle(server, build), settle(server, build), settle(server, build)])
    await expectOneChain(gameUid)
  })

  test('several promotions are taken one after the other', async () => {
    const gameUid = await startGame()
    const made = await Promise.all(versions.map((version) => insertClean(gameUid, version)))
    const answers = await Promise.all(made.map((build) => promote(owner, gameUid, build)))
    expect(answers.map(({ status }) => status)).toEqual(versions.map(() => 200))
    await expectOneChain(gameUid)
    expect(await readPointers(owner, gameUid)).toHaveLength(1)
  })

  test('rollbacks each take one step', async () => {
    const gameUid = await startGame()
    for (const version of versions) await release(server, gameUid, { version })
    const answers = await Promise.all(versions.map(() => rollBack(owner, gameUid)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 200, 200, 200, 200, 200, 409,
    ])
    expect(await readVersions(owner, gameUid)).toEqual(['linux 1.0.0'])
  })

  test('deleting builds during rollbacks never leaves a channel at a deleted build', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gameUid = await startGame()
      const made: BuildRow[] = []
      for (const version of versions) made.push(await release(server, gameUid, { version }))
      const [first] = made
      const deleted = made.slice(1).filter((_, index) => index % 2 === round % 2)
      const [statuses] = await Promise.all([
        Promise.all(deleted.map((build) => remove(gameUid, build))),
        ...[1, 2, 3].map(() => rollBack(owner, gameUid)),
      ])
      expect(statuses).toEqual(deleted.map(() => 200))
      const [pointer, ...more] = await readPointers(owner, gameUid)
      expect(more).toEqual([])
      expect(deleted.map(({ uid }) => uid)).not.toContain(pointer?.build_id ?? '')
      while ((await rollBack(owner, gameUid)).status === 200);
      expect(await readPointers(owner, gameUid)).toMatchObject([{ build_id: first?.uid }])
    }
  })

  test('a scan that settles while its build is deleted', async () => {
    for (let round = 0; round < 10; round += 1) {
      const gameUid = await startGame()
      const build = await insertClean(gameUid, '1.0.0')
      const [, status] = await Promise.all([settle(server, build), remove(gameUid, build)])
      expect(status).toBe(200)
      expect(await readPointers(owner, gameUid)).toEqual([])
    }
  })
})
