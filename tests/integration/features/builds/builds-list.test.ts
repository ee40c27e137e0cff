import { beforeAll, describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { openDatabase } from '../../../../src/db/client.ts'
import { builds, fileEntries, files, scanEvents, symbols } from '../../../../src/db/schema/builds.ts'
import { type DeployPair, insertBuild, insertFile, issueDeployKey } from '../../../helpers/builds.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startJobs } from '../../../helpers/scans.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let game: GameRow
let key: DeployPair
beforeAll(async () => {
  owner = await signUp(server)
  game = await insertGame(server, owner)
  key = await issueDeployKey(server, game.uid)
})

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
    const [first, second] = await Promise.all(answers.map((answer) => readData<{ build_id: string }>(answer)))
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
    expect(await readData(await server.fetch(`${tool}/${build.uid}`, { headers: { ...key } }))).toEqual(shown)
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
