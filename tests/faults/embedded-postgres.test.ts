import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { makeZip } from '../helpers/files/zips.ts'
import { readData } from '../helpers/json.ts'
import { type ChildServer, createTempDir, startChild } from '../helpers/processes/child.ts'
import { createDataFolder } from '../helpers/processes/data-folder.ts'
import { runProgram } from '../helpers/processes/embedded-program.ts'
import { waitForScan } from '../helpers/scans.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../helpers/server.ts'
import {
  createPipeline,
  makeBytes,
  openSession,
  type Pipeline,
  readCurrentSize,
  sendChunk,
  type UploadedFile,
} from '../helpers/uploads/uploads.ts'
import { waitFor } from '../helpers/wait.ts'

/** A busy machine needs a while to start Postgres; an operator would see a few seconds. */
const BACK_WITHIN_MS = 30_000

let dir: Awaited<ReturnType<typeof createTempDir>>
let child: ChildServer
/** A second process on the same database and objects, to make data that has no route. */
let beside: TestServer
let pipeline: Pipeline
beforeAll(async () => {
  dir = await createTempDir('embedded')
  await createDataFolder(dir.path)
  child = await startChild({ env: { DATA_DIR: dir.path, SECRET_KEY: TEST_SECRET_KEY } })
  const password = await readFile(join(dir.path, 'postgres/password'), 'utf8')
  const port = (await readPidFile())[3]
  beside = await startTestServer({
    DATABASE_URL: `postgres://playshelf:${password}@127.0.0.1:${port}/playshelf`,
    STORAGE_URL: `file:${join(dir.path, 'objects')}`,
  })
  pipeline = await createPipeline(beside)
})
afterAll(async () => {
  await beside.stop()
  child.kill('SIGTERM')
  await child.exited
  await dir.remove()
})

const asked = { fetch: (path: string, init?: RequestInit) => fetch(child.url + path, init) }

async function readPidFile(): Promise<string[]> {
  return (await readFile(join(dir.path, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')
}

async function killPostgres(): Promise<number> {
  const pid = Number((await readPidFile())[0])
  process.kill(pid, 'SIGKILL')
  return pid
}

async function isReady(): Promise<boolean> {
  return await asked.fetch('/ready').then(
    ({ ok }) => ok,
    () => false,
  )
}

test('a killed database is started again: the upload goes on and its scan runs', async () => {
  const bytes = makeZip([{ name: 'game.exe', data: makeBytes(60_000) }])
  const { session_id } = await openSession(asked, pipeline, bytes)
  expect(await sendChunk(asked, pipeline.key, session_id, bytes, [0, 20_000])).toMatchObject({ status: 202 })
  const pid = await killPostgres()
  const isAnother = () =>
    readPidFile().then(
      ([found]) => Number(found) !== pid,
      () => false,
    )
  await waitFor('another postmaster', isAnother, BACK_WITHIN_MS)
  await waitFor('the store is ready', isReady, BACK_WITHIN_MS)
  expect(await readCurrentSize(beside, pipeline.key, session_id)).toBe(20_000)
  const last = await sendChunk(asked, pipeline.key, session_id, bytes, [20_000, bytes.length])
  expect(last.status).toBe(201)
  const { file_uid } = await readData<UploadedFile>(last)
  expect(await waitForScan(beside, file_uid, BACK_WITHIN_MS)).toMatchObject({ scan: 'clean' })
  expect(child.output()).toContain('The embedded Postgres ended')
  // The lock of the running server came back with the database.
  const other = await runProgram(dir.path, ['serve'], { SECRET_KEY: TEST_SECRET_KEY })
  expect(other.text).toContain('already running')
})

test('a database that keeps ending ends the program with a sentence', async () => {
  const countRestarts = () => child.output().split('The embedded Postgres runs again').length - 1
  let hasEnded = false
  void child.exited.then(() => (hasEnded = true))
  while (!hasEnded) {
    const restarts = countRestarts()
    await killPostgres()
    await waitFor('a restart, or the end', () => hasEnded || countRestarts() > restarts, 90_000)
  }
  expect(await child.exited).toBe(1)
  await waitFor('its last words', () =>
    /^The embedded Postgres ended 6 times .*postgres\.log/m.test(child.output()),
  )
})
