import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { createContext } from '../../../src/commands/context.ts'
import { type RunningServer, startServer } from '../../../src/commands/serve.ts'
import { parseConfig } from '../../../src/config/config.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { findInstallationId } from '../../../src/db/installation.ts'
import { installation } from '../../../src/db/schema/settings.ts'
import { insertBuild, insertFile } from '../../helpers/builds.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/database.ts'
import { insertGame } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { createTempDir, startChild } from '../../helpers/processes/child.ts'
import { createDataFolder } from '../../helpers/processes/data-folder.ts'
import { runProgram, startProgram } from '../../helpers/processes/embedded-program.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../../helpers/server.ts'
import { describeWithStorage, type OwnStorage } from '../../helpers/uploads/own-storage.ts'

const BYTES = new Uint8Array(100)
const KEYS = ['builds/game/file.zip', 'images/picture.webp', 'symbols/game/module.sym']

let dir: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  dir = await createTempDir('installation')
})
afterAll(() => dir.remove())

describeWithStorage('an installation', (createStorage) => {
  const envOf = (storage: OwnStorage, url: string) => ({
    DATA_DIR: dir.path,
    DATABASE_URL: url,
    SECRET_KEY: TEST_SECRET_KEY,
    ...storage.env,
  })
  const start = async (storage: OwnStorage, url: string): Promise<RunningServer> =>
    await startServer(
      createContext(parseConfig({ PORT: '0', ROLE: 'api', LOG_LEVEL: 'silent', ...envOf(storage, url) })),
    )
  const run = (storage: OwnStorage, command: string, url: string) =>
    runProgram(dir.path, command.split(' '), envOf(storage, url))

  async function withDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
    const database = await createTestDatabase()
    try {
      await work(database)
    } finally {
      await database.drop()
    }
  }

  /** Runs `work` beside a server whose database names one stored file. */
  async function withFile(storage: OwnStorage, work: (server: TestServer) => Promise<void>): Promise<void> {
    const server = await startTestServer({ TRUST_PROXY: '1', ...storage.env })
    try {
      const game = await insertGame(server, await signUp(server))
      const file = await insertFile(server, await insertBuild(server, game.uid))
      await storage.objects.put(file.objectKey, BYTES)
      await work(server)
    } finally {
      await server.stop()
    }
  }

  async function readId(url: string): Promise<string | null> {
    const { db, dispose } = openDatabase(url)
    try {
      return await findInstallationId(db)
    } finally {
      await dispose()
    }
  }

  test('gets one id when four processes start it at once', async () => {
    await using storage = await createStorage()
    await withDatabase(async ({ url }) => {
      const children = await Promise.all(
        ['all', 'api', 'upload', 'worker'].map((ROLE) =>
          startChild({ env: { ...envOf(storage, url), ROLE } }),
        ),
      )
      for (const child of children) child.kill('SIGTERM')
      expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0, 0])
      const id = await readId(url)
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(await storage.objects.readOwner()).toBe(id)
      expect(await storage.keys()).toEqual([])
    })
  })

  test.each([
    ['the store of another', crypto.randomUUID()],
    ['objects without an owner', null],
  ])('does not start on a new database and %s', async (_, owner) => {
    await using storage = await createStorage()
    for (const key of KEYS) await storage.objects.put(key, BYTES)
    if (owner !== null) await storage.objects.writeOwner(owner)
    await withDatabase(async ({ url }) => {
      expect(start(storage, url)).rejects.toThrow('not restored yet')
      const outcome = { code: 1, text: expect.stringContaining('playshelf adopt-storage --confirm') }
      expect(await run(storage, owner === null ? 'demo' : 'serve', url)).toMatchObject(outcome)
      expect(await run(storage, 'doctor', url)).toMatchObject(outcome)
      expect(await readId(url)).toBeNull()
      expect(await storage.objects.readOwner()).toBe(owner)
      expect(await storage.keys()).toEqual(KEYS)
    })
  })

  test('is given such a store only by the operator', async () => {
    await using storage = await createStorage()
    for (const key of KEYS) await storage.objects.put(key, BYTES)
    const foreign = crypto.randomUUID()
    await storage.objects.writeOwner(foreign)
    await withDatabase(async ({ url }) => {
      expect((await run(storage, 'adopt-storage', url)).text).toContain(foreign)
      expect(await storage.objects.readOwner()).toBe(foreign)

      expect(await run(storage, 'adopt-storage --confirm', url)).toMatchObject({ code: 0 })
      const id = await readId(url)
      expect(id).not.toBe(foreign)
      expect(await storage.objects.readOwner()).toBe(id)
      expect(await storage.keys()).toEqual(KEYS)
      const text = expect.stringContaining(`${id}, the same in database and object store`)
      expect(await run(storage, 'doctor', url)).toMatchObject({ code: 0, text })
    })
  })

  test('does not start when both have an id and they differ, and is not ready then', async () => {
    await using storage = await createStorage()
    await withFile(storage, async (server) => {
      await storage.objects.writeOwner(crypto.randomUUID(), { replace: true })
      expect(start(storage, server.databaseUrl)).rejects.toThrow('belongs to the installation')
      expect((await server.fetch('/ready')).status).toBe(503)
    })
  })

  test.each([
    ['upgraded from before there were ids', ['database', 'store']],
    ['whose objects were restored without the id', ['store']],
    ['whose database was restored from before there were ids', ['database']],
  ])('%s starts, because the store holds what the database names', async (_, forgotten) => {
    await using storage = await createStorage()
    await withFile(storage, async (server) => {
      if (forgotten.includes('store')) await storage.forgetOwner()
      if (forgotten.includes('database')) await server.deps.db.delete(installation)
      await (await start(storage, server.databaseUrl)).stop()
      const id = await readId(server.databaseUrl)
      expect(id).not.toBeNull()
      expect(await storage.objects.readOwner()).toBe(id)
    })
  })

  test('moves to a new, empty store, but not to one with the objects of others', async () => {
    await using before = await createStorage()
    await using empty = await createStorage()
    await using foreign = await createStorage()
    await foreign.objects.put('builds/game/file.zip', BYTES)
    await withFile(before, async ({ databaseUrl }) => {
      await (await start(empty, databaseUrl)).stop()
      expect(await empty.objects.readOwner()).toBe(await readId(databaseUrl))
      expect(start(foreign, databaseUrl)).rejects.toThrow('not those that this database names')
    })
  })
})

test('the embedded defaults tell when their database was deleted by hand, and leave the objects', async () => {
  const dataDir = join(dir.path, 'embedded')
  await createDataFolder(dataDir)
  await (await startProgram(dataDir))[Symbol.asyncDispose]()
  const object = Bun.file(join(dataDir, 'objects/builds/game/file.zip'))
  await object.write(BYTES)
  await rm(join(dataDir, 'postgres'), { recursive: true })
  const { code, text } = await runProgram(dataDir, ['up'])
  expect(code).toBe(1)
  expect(text).toContain('DATA_DIR/postgres')
  expect(await object.exists()).toBe(true)
})
