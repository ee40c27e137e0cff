import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { createTempDir } from '../helpers/child.ts'
import { readFailure } from '../helpers/json.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { expectOneFile, resume } from '../helpers/upload-outages.ts'
import {
  createPipeline,
  fileForm,
  makeBytes,
  openSession,
  type Pipeline,
  postFile,
  sendChunk,
} from '../helpers/uploads.ts'

const MIB = 1024 * 1024
const BYTES = makeBytes(4 * MIB)
const DISK_BYTES = 6 * MIB
const BALLAST = makeBytes(4 * MIB)

/** Only root may mount a disk of its own. */
const disk = await mountDisk()

describe.skipIf(disk === null)('a folder whose disk', () => {
  let server: TestServer
  let pipeline: Pipeline
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1', STORAGE_URL: `file:${disk?.path}` })
  })
  beforeEach(async () => {
    pipeline = await createPipeline(server)
  })
  afterAll(async () => {
    await server.stop()
    await disk?.unmount()
  })
  const ballast = () => join(disk?.path ?? '', 'ballast')

  test('is full takes no file: 503/5031, and takes it once there is room', async () => {
    await Bun.write(ballast(), BALLAST)
    const answer = await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))
    const failure = await readFailure(answer)
    expect(failure).toMatchObject({ status: 503, code: 5031, message: 'The object store is full.' })
    await rm(ballast())
    expect((await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))).status).toBe(201)
    await expectOneFile(server, pipeline, BYTES)
    await empty(server)
  })

  test('is full keeps what it has of a chunk: 409/4044 with where to go on', async () => {
    const { session_id } = await openSession(server, pipeline, BYTES)
    await Bun.write(ballast(), BALLAST)
    const answer = await sendChunk(server, pipeline.key, session_id, BYTES, [0, BYTES.length])
    const failure = await readFailure<{ current_size: number }>(answer)
    expect(failure).toMatchObject({ status: 409, code: 4044 })
    expect(failure.data.current_size).toBeGreaterThan(0)
    await rm(ballast())
    expect((await resume(server, pipeline, session_id, BYTES)).status).toBe(201)
    await expectOneFile(server, pipeline, BYTES)
    await empty(server)
  })

  test('cannot be written any more is told as 503/5031 or 409/4044, and goes on where it was', async () => {
    const { session_id } = await openSession(server, pipeline, BYTES)
    expect((await sendChunk(server, pipeline.key, session_id, BYTES, [0, MIB])).status).toBe(202)
    await disk?.remount('ro')
    const whole = await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))
    expect(await readFailure(whole)).toMatchObject({ status: 503, code: 5031 })
    const chunk = await sendChunk(server, pipeline.key, session_id, BYTES, [MIB, BYTES.length])
    expect(await readFailure(chunk)).toMatchObject({ status: 409, code: 4044, data: { current_size: MIB } })
    await disk?.remount('rw')
    expect((await resume(server, pipeline, session_id, BYTES)).status).toBe(201)
    await expectOneFile(server, pipeline, BYTES)
  })
})

async function empty({ deps: { store } }: TestServer): Promise<void> {
  for await (const { key } of store.list('builds/')) await store.delete(key)
}

interface Disk {
  path: string
  remount(mode: 'ro' | 'rw'): Promise<void>
  unmount(): Promise<void>
}

async function mountDisk(): Promise<Disk | null> {
  const { path, remove } = await createTempDir('disk')
  if (!(await run('mount', '-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', path))) {
    await remove()
    return null
  }
  return {
    path,
    async remount(mode) {
      await run('mount', '-o', `remount,${mode}`, path)
    },
    async unmount() {
      await run('umount', '-l', path)
      await remove()
    },
  }
}

async function run(...command: string[]): Promise<boolean> {
  return Bun.which(command[0] ?? '') !== null && (await Bun.spawn(command, { stderr: 'ignore' }).exited) === 0
}
