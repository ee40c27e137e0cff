import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { channelMoves } from '../../../../src/db/schema/channels.ts'
import { type BuildRow, insertBuild, insertFile } from '../../../helpers/builds.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { promote, readPointers, readVersions, release, rollBack, settle } from '../../../helpers/releases.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  owner = await signUp(server)
})
afterAll(() => server.stop())

const startGame = async () => (await insertGame(server, owner)).uid
const remove = (gameUid: string, build: BuildRow) =>
  owner.json('DELETE', `/api/v1/private/games/${gameUid}/builds/${build.uid}`)
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
      const answers = await Promise.all([
        ...deleted.map((build) => remove(gameUid, build)),
        ...[1, 2, 3].map(() => rollBack(owner, gameUid)),
      ])
      expect(answers.slice(0, deleted.length).map(({ status }) => status)).toEqual(deleted.map(() => 200))
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
      const [, answer] = await Promise.all([settle(server, build), remove(gameUid, build)])
      expect(answer.status).toBe(200)
      expect(await readPointers(owner, gameUid)).toEqual([])
    }
  })
})
