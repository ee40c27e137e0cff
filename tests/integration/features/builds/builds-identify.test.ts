import { beforeAll, describe, expect, test } from 'bun:test'

import { AppError } from '../../../../src/errors.ts'
import {
  type BuildIdentification,
  findBuildForUpload,
} from '../../../../src/features/builds/registry/identify.ts'
import { type BuildRow, insertBuild } from '../../../helpers/builds.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
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
