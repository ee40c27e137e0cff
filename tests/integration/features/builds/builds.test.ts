import { beforeAll, describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { openDatabase } from '../../../../src/db/client.ts'
import { apps, builds, fileEntries, files, scanEvents, symbols } from '../../../../src/db/schema/builds.ts'
import { type DeployPair, insertBuild, insertFile, issueDeployKey } from '../../../helpers/builds.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { startJobs } from '../../../helpers/scans.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
let key: DeployPair

async function startGame(): Promise<void> {
  game = await insertGame(server, owner)
  key = await issueDeployKey(server, game.uid)
}

describe('registering builds', () => {
  beforeAll(startGame)

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
        saves: { slots: { world: { linux: ['./world/**'], windows: ['%APPDATA%/Lamp/world/**'] } } },
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
      expect(second).toMatchObject({
        build_id: first.build_id,
        title: 'Second',
        created_at: first.created_at,
      })
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
      ['saves', { saves: 'x' }],
      [
        'saves',
        { saves: { slots: { main: { linux: Array.from({ length: 21 }, () => '~/.config/moss/*') } } } },
      ],
      ...['~/*', '~/.ssh/*', '/etc/*', '~/.config/moss/../x/*', '~/.config/*', '%APPDATA%/moss/*'].map(
        (pattern): [string, object] => [
          'saves.slots.main.linux[0]',
          { saves: { slots: { main: { linux: [pattern] } } } },
        ],
      ),
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
})

describe('listing builds', () => {
  beforeAll(startGame)

  interface Listed {
    items: { build_id: string; version: string; files: { filename: string }[] }[]
    total: number
  }

  const privatePath = (gameUid: string) => `/api/v1/private/games/${gameUid}/builds`
  const readPrivate = async (gameUid: string, query = '') =>
    await readData<Listed>(await owner.fetch(privatePath(gameUid) + query))

  describe('registering on the website', () => {
    test('takes the body of a pipeline: 201, then 200 for an update', async () => {
      const page = await insertGame(server, owner)
      const body = { version: '3.1.0', os: 'windows', arch: 'x86_64', channel: 'beta', title: 'First' }
      const answers = [
        await owner.json('POST', privatePath(page.vanityName), body),
        await owner.json('POST', privatePath(page.uid), { ...body, title: 'Second' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([201, 200])
      const [first, second] = await Promise.all(
        answers.map((answer) => readData<{ build_id: string }>(answer)),
      )
      expect(second).toMatchObject({ ...body, build_id: first?.build_id ?? '', title: 'Second' })
      const refused = await owner.json('POST', privatePath(page.uid), { ...body, os: null })
      expect(await readFailure(refused)).toMatchObject({ status: 400, code: 4026 })
    })
  })

  describe('the builds of a listing', () => {
    test('are told with their files and scans, alike to pipeline and website', async () => {
      const build = await insertBuild(server, game.uid, { title: 'The lamp update' })
      const clean = await insertFile(server, build)
      const refused = await insertFile(server, build, {
        filename: 'other.zip',
        scan: 'infected',
        scanDetail: 'Eicar-Test-Signature',
      })
      const shown = {
        build_id: build.uid,
        app: 'main',
        app_name: 'main',
        version: '1.0.0',
        build_type: 'game',
        os: 'linux',
        arch: 'x86_64',
        channel: 'stable',
        title: 'The lamp update',
        description: '',
        engine_version: null,
        launch: null,
        saves: null,
        changelog_items: [],
        created_at: build.createdAt.toISOString(),
        updated_at: build.updatedAt.toISOString(),
        files: [
          {
            file_uid: clean.uid,
            filename: 'game.zip',
            size: 1000,
            checksum: clean.checksum,
            scan: 'clean',
            scan_engine: null,
            scan_detail: null,
            uploaded_at: clean.uploadedAt.toISOString(),
          },
          {
            file_uid: refused.uid,
            filename: 'other.zip',
            size: 1000,
            checksum: refused.checksum,
            scan: 'infected',
            scan_engine: null,
            scan_detail: 'Eicar-Test-Signature',
            uploaded_at: refused.uploadedAt.toISOString(),
          },
        ],
      }
      const tool = '/api/v1/tool/upload/builds'
      expect(await readData(await server.fetch(`${tool}/${build.uid}`, { headers: { ...key } }))).toEqual(
        shown,
      )
      const list = { items: [shown], total: 1, page: 1, page_size: 20 }
      expect(await readData(await server.fetch(tool, { headers: { ...key } }))).toEqual(list)
      expect(await readPrivate(game.vanityName)).toEqual(list)
    })

    test('come newest first, in pages, with as many statements for fifty as for one', async () => {
      const other = await insertGame(server, owner)
      for (let made = 0; made < 50; made += 1) {
        const build = await insertBuild(server, other.uid, { version: `1.${made}.0` })
        await Promise.all([insertFile(server, build), insertFile(server, build, { filename: 'b.zip' })])
      }
      const page = await readPrivate(other.uid, '?page=2&page_size=3')
      expect(page.total).toBe(50)
      expect(page.items.map(({ version }) => version)).toEqual(['1.46.0', '1.45.0', '1.44.0'])
      expect(page.items.map(({ files: own }) => own.length)).toEqual([2, 2, 2])
      const count = async (query: string) =>
        (await watchStatements(server, () => readPrivate(other.uid, query))).length
      expect(await count('?page_size=50')).toBe(await count('?page_size=1'))
    })

    test('show the newest fifty files of a build', async () => {
      const other = await insertGame(server, owner)
      const build = await insertBuild(server, other.uid)
      for (let made = 0; made < 55; made += 1) await insertFile(server, build, { filename: `${made}.zip` })
      const [item] = (await readPrivate(other.uid)).items
      expect(item?.files).toHaveLength(50)
      expect(item?.files.map(({ filename }) => filename)).not.toContain('0.zip')
    })
  })

  describe('deleting a build', () => {
    test('removes its files, entries, symbols and scan history, and their objects by a job', async () => {
      const { db } = server.deps
      const build = await insertBuild(server, game.uid, { version: '3.0.0' })
      const file = await insertFile(server, build, {}, [{ path: 'a', size: 1, sha256: 'x' }])
      await db.insert(scanEvents).values({ fileUid: file.uid, state: 'clean' })
      await db.insert(symbols).values({
        gameUid: game.uid,
        buildUid: build.uid,
        module: 'game',
        debugId: 'A1',
        filename: 'game.sym',
        size: 1,
        objectKey: `symbols/${game.uid}/x.sym`,
      })
      const stored = [file.objectKey, `symbols/${game.uid}/x.sym`]
      await Promise.all(stored.map((name) => server.deps.objects.put(name, new Uint8Array(1))))
      const answer = await owner.json('DELETE', `${privatePath(game.uid)}/${build.uid}`)
      expect(await answer.json()).toEqual({ success: true, data: {} })
      expect(await db.$count(builds, eq(builds.uid, build.uid))).toBe(0)
      expect(await db.$count(files, eq(files.buildUid, build.uid))).toBe(0)
      expect(await db.$count(fileEntries, eq(fileEntries.fileUid, file.uid))).toBe(0)
      expect(await db.$count(scanEvents, eq(scanEvents.fileUid, file.uid))).toBe(0)
      expect(await db.$count(symbols, eq(symbols.buildUid, build.uid))).toBe(0)
      const runner = await startJobs(server)
      try {
        for (const name of stored) {
          await waitFor('The deletion', async () => (await server.deps.objects.head(name)) === null)
        }
      } finally {
        await runner.stop()
      }
    })

    test('twice, of another listing, or of none is 404/4039', async () => {
      const mine = await insertBuild(server, game.uid, { version: '4.0.0' })
      const foreign = await insertBuild(server, (await insertGame(server, await signUp(server))).uid)
      expect((await owner.json('DELETE', `${privatePath(game.uid)}/${mine.uid}`)).status).toBe(200)
      for (const uid of [mine.uid, foreign.uid, crypto.randomUUID(), 'not-a-uid']) {
        const answer = await owner.json('DELETE', `${privatePath(game.uid)}/${uid}`)
        expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4039 })
      }
    })

    test('waits for an upload that is ending, and takes its file along', async () => {
      const { db } = server.deps
      const build = await insertBuild(server, game.uid, { version: '6.0.0' })
      const waiting = sql`
      select 1 from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database() limit 1`
      const isWaiting = async () => (await db.execute(waiting)).length > 0
      const other = openDatabase(server.databaseUrl, { maxConnections: 1 })
      const deleting = await other.db.transaction(async (tx) => {
        await tx.select().from(builds).where(eq(builds.uid, build.uid)).for('key share')
        const answer = owner.json('DELETE', `${privatePath(game.uid)}/${build.uid}`)
        await waitFor('The wait', isWaiting)
        await tx.insert(files).values({
          gameUid: game.uid,
          buildUid: build.uid,
          filename: 'late.zip',
          size: 1,
          checksum: 'x',
          objectKey: `builds/${game.uid}/late.zip`,
          source: 'website',
        })
        return { answer }
      })
      expect((await deleting.answer).status).toBe(200)
      await other.dispose()
      expect(await db.$count(files, eq(files.buildUid, build.uid))).toBe(0)
    })

    test('is open to agents with mcp:builds.write', async () => {
      const build = await insertBuild(server, game.uid, { version: '5.0.0' })
      const path = `${privatePath(game.uid)}/${build.uid}`
      const bearer = async (scope: string) => {
        const { access_token } = await obtainToken(server, owner, scope)
        return { method: 'DELETE', headers: { authorization: `Bearer ${access_token}` } }
      }
      expect(await readFailure(await server.fetch(path, await bearer('mcp:builds.read')))).toMatchObject({
        status: 403,
        code: 4031,
      })
      expect((await server.fetch(path, await bearer('mcp:builds.write'))).status).toBe(200)
    })
  })
})
