import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { apps, builds } from '../../../../src/db/schema/builds.ts'
import { type DeployPair, issueDeployKey } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let game: GameRow
let key: DeployPair
beforeAll(async () => {
  owner = await signUp(server)
  game = await insertGame(server, owner)
  key = await issueDeployKey(server, game.uid)
})

interface Registered {
  build_id: string
  created_at: string
  updated_at: string
}

const register = (body: unknown, headers: DeployPair = key) =>
  server.fetch('/api/v1/tool/upload/build', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const getBuild = async (uid: string) =>
  await readData(await server.fetch(`/api/v1/tool/upload/builds/${uid}`, { headers: { ...key } }))

const LINUX = { version: '1.0.0', os: 'linux', arch: 'x86_64' }
let count = 0
/** A registration nobody made before. */
const fresh = (fields: object = {}) => ({ ...LINUX, version: `9.${(count += 1)}.0`, ...fields })

describe('registering a build', () => {
  test('needs version, os and arch; the rest has defaults', async () => {
    const answer = await register(LINUX)
    expect(answer.status).toBe(201)
    expect(await readData(answer)).toEqual({
      build_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      app: 'main',
      app_name: 'main',
      version: '1.0.0',
      build_type: 'game',
      os: 'linux',
      arch: 'x86_64',
      channel: 'stable',
      title: '',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
  })

  test('keeps everything that was sent', async () => {
    const details = {
      title: 'The lamp update',
      description: 'More light.',
      engine_version: '4.3',
      changelog_items: [{ title: 'Lamps', description: 'They turn.' }],
      launch: { path: 'bin/server', args: ['--headless'] },
    }
    const place = { build_type: 'server', channel: 'nightly_1', app: 'dedicated-server' }
    const body = fresh({ ...details, ...place, app_name: 'Dedicated server' })
    const { build_id } = await readData<Registered>(await register(body))
    expect(await getBuild(build_id)).toMatchObject({ ...details, ...place, files: [] })
    const [app] = await server.deps.db.select().from(apps).where(eq(apps.slug, 'dedicated-server'))
    expect(app).toMatchObject({ name: 'Dedicated server', gameUid: game.uid })
  })

  test('again with the same version, type, os, arch and channel updates the existing build', async () => {
    const body = fresh({ title: 'First', description: 'Stays.', changelog_items: [{ title: 'One' }] })
    const first = await readData<Registered>(await register(body))
    const again = await register({ version: body.version, os: 'linux', arch: 'x86_64', title: 'Second' })
    expect(again.status).toBe(200)
    const second = await readData<Registered>(again)
    expect(second).toMatchObject({ build_id: first.build_id, title: 'Second', created_at: first.created_at })
    expect(second.updated_at >= first.updated_at).toBe(true)
    expect(await getBuild(first.build_id)).toMatchObject({
      description: 'Stays.',
      changelog_items: [{ title: 'One', description: '' }],
    })
  })

  test.each([
    ['version', { version: '1.0.1' }],
    ['build_type', { build_type: 'demo' }],
    ['os', { os: 'windows' }],
    ['arch', { arch: 'arm64' }],
    ['channel', { channel: 'beta' }],
    ['app', { app: 'server' }],
  ])('with another %s makes another build', async (_, other) => {
    const base = { ...LINUX, version: '3.0.0' }
    const { build_id } = await readData<Registered>(await register(base))
    const answer = await register({ ...base, ...other })
    expect(answer.status).toBe(201)
    expect((await readData<Registered>(answer)).build_id).not.toBe(build_id)
  })

  test('twelve times at once gives one build', async () => {
    const body = fresh({ app: 'crowded' })
    const answers = await Promise.all(Array.from({ length: 12 }, () => register(body)))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([...Array.from({ length: 11 }, () => 200), 201])
    const ids = await Promise.all(
      answers.map(async (answer) => (await readData<Registered>(answer)).build_id),
    )
    expect(new Set(ids).size).toBe(1)
    expect(await server.deps.db.$count(builds, eq(builds.version, body.version))).toBe(1)
  })

  test('a later app_name replaces the label, and none leaves it', async () => {
    const label = async () =>
      (await server.deps.db.select().from(apps).where(eq(apps.slug, 'editor')))[0]?.name
    await register(fresh({ app: 'editor' }))
    expect(await label()).toBe('editor')
    await register(fresh({ app: 'editor', app_name: 'Level editor' }))
    await register(fresh({ app: 'editor' }))
    expect(await label()).toBe('Level editor')
  })

  test('unverified owners may register', async () => {
    const other = await insertGame(server, await signUp(server))
    expect((await register(LINUX, await issueDeployKey(server, other.uid))).status).toBe(201)
  })
})

describe('a registration at its bounds is taken', () => {
  test.each([
    ['a version of 32 characters', { version: '1'.repeat(32) }],
    ['a title of 255 characters', { title: '🜁'.repeat(255) }],
    ['100 changelog items', { changelog_items: Array.from({ length: 100 }, () => ({ title: 'x' })) }],
    ['no changelog items', { changelog_items: [] }],
    ['a channel of 32 characters', { channel: '0'.repeat(32) }],
    ['null for what may be left out', { title: null, app: null, channel: null, changelog_items: null }],
  ])('%s', async (_, fields) => {
    expect((await register(fresh(fields))).status).toBe(201)
  })

  for (const os of ['windows', 'macos', 'linux', 'android', 'ios', 'web']) {
    test(os, async () => expect((await register(fresh({ os }))).status).toBe(201))
  }
  for (const arch of ['x86_64', 'x86', 'arm64', 'arm32', 'arm', 'universal', 'wasm32', 'wasm']) {
    test(arch, async () => expect((await register(fresh({ arch }))).status).toBe(201))
  }
})

describe('a missing, too long or wrongly typed field is 400/4026 and named', () => {
  test.each([
    ['version', { version: undefined }],
    ['version', { version: '' }],
    ['version', { version: '   ' }],
    ['version', { version: null }],
    ['version', { version: '1'.repeat(33) }],
    ['version', { version: 1 }],
    ['os', { os: undefined }],
    ['arch', { arch: undefined }],
    ['title', { title: 'x'.repeat(256) }],
    ['title', { title: 5 }],
    ['description', { description: ['x'] }],
    ['build_type', { build_type: '' }],
    ['build_type', { build_type: 'x'.repeat(65) }],
    ['engine_version', { engine_version: 4.3 }],
    ['changelog_items', { changelog_items: Array.from({ length: 101 }, () => ({ title: 'x' })) }],
    ['changelog_items', { changelog_items: 'x' }],
    ['changelog_items[0].title', { changelog_items: [{ description: 'x' }] }],
    ['changelog_items[1]', { changelog_items: [{ title: 'x' }, 'y'] }],
    ['launch', { launch: 'bin/game' }],
    ...[
      '',
      '/bin/game',
      '../game',
      'bin/../game',
      'bin//game',
      './game',
      'bin/',
      'C:/game',
      'a\\b',
      'x'.repeat(256),
    ].map((path): [string, object] => ['launch.path', { launch: { path } }]),
    ['launch.args', { launch: { path: 'game', args: Array.from({ length: 21 }, () => 'x') } }],
    ['launch.args[0]', { launch: { path: 'game', args: ['x'.repeat(256)] } }],
    ['launch.env', { launch: { path: 'game', env: {} } }],
    ['app', { app: 'Not a slug' }],
    ['app_name', { app_name: 'x'.repeat(81) }],
  ])('%s of %j', async (field, fields) => {
    const failure = await readFailure(await register(fresh(fields)))
    expect(failure).toMatchObject({ status: 400, code: 4026 })
    expect(failure.message).toStartWith(`${field} `)
  })
})

describe('a bad os, arch or channel is 400/4041 and named', () => {
  test.each([
    ['os', { os: 'dos' }],
    ['os', { os: 'Linux' }],
    ['os', { os: 5 }],
    ['arch', { arch: 'riscv' }],
    ['channel', { channel: 'Stable' }],
    ['channel', { channel: '-beta' }],
    ['channel', { channel: '' }],
    ['channel', { channel: 'x'.repeat(33) }],
    ['channel', { channel: 'a b' }],
    ['channel', { channel: 7 }],
  ])('%s of %j', async (field, fields) => {
    const failure = await readFailure(await register(fresh(fields)))
    expect(failure).toMatchObject({ status: 400, code: 4041 })
    expect(failure.message).toStartWith(`${field} must be`)
  })
})

describe('what is no registration at all is 400/4000', () => {
  test.each([
    ['an unknown field', { ...LINUX, colour: 'red' }],
    ['a list', []],
    ['a text', 'x'],
    ['null', null],
  ])('%s', async (_, body) => {
    expect(await readFailure(await register(body))).toMatchObject({ status: 400, code: 4000 })
  })

  test('a form is 415', async () => {
    const answer = await server.fetch('/api/v1/tool/upload/build', {
      method: 'POST',
      headers: { ...key },
      body: new URLSearchParams(LINUX),
    })
    expect(await readFailure(answer)).toMatchObject({ status: 415, code: 4150 })
  })
})
