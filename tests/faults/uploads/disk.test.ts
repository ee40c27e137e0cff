import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { readFailure } from '../../helpers/json.ts'
import { type Disk, mountDisk } from '../../helpers/processes/disk.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { expectOneFile, resume } from '../../helpers/uploads/upload-outages.ts'
import {
  createPipeline,
  fileForm,
  makeBytes,
  openSession,
  type Pipeline,
  postFile,
  postSession,
  readCurrentSize,
  sendChunk,
} from '../../helpers/uploads/uploads.ts'
import { waitFor } from '../../helpers/wait.ts'

const MIB = 1024 * 1024
const BYTES = makeBytes(4 * MIB)
const DISK_BYTES = 6 * MIB
const BALLAST = makeBytes(4 * MIB)

/** Only root may mount a disk of its own. */
const disk = await mountDisk(DISK_BYTES)

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

  test('is full takes no file: 507/5071, and takes it once there is room', async () => {
    await Bun.write(ballast(), BALLAST)
    const answer = await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))
    const failure = await readFailure(answer)
    expect(failure).toMatchObject({ status: 507, code: 5071 })
    expect(failure.message).toContain('too little room for uploads')
    await rm(ballast())
    expect((await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))).status).toBe(201)
    await expectOneFile(server, pipeline, BYTES)
    await empty(server)
  })

  test('is full keeps what it has of a chunk: 507/5071 with where to go on', async () => {
    const { session_id } = await openSession(server, pipeline, BYTES)
    await Bun.write(ballast(), BALLAST)
    const answer = await sendChunk(server, pipeline.key, session_id, BYTES, [0, BYTES.length])
    const failure = await readFailure<{ current_size: number }>(answer)
    expect(failure).toMatchObject({ status: 507, code: 5071 })
    expect(failure.data.current_size).toBeGreaterThan(0)
    expect(failure.data.current_size).toBeLessThan(BYTES.length)
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

describe.skipIf(disk === null)('a folder whose disk has less than the reserve free', () => {
  let server: TestServer
  let pipeline: Pipeline
  let folder: Disk | null
  beforeAll(async () => {
    folder = await mountDisk(DISK_BYTES)
    const env = { STORAGE_URL: `file:${folder?.path}`, STORAGE_RESERVE: '3 MB' }
    server = await startTestServer({ TRUST_PROXY: '1', ...env })
    pipeline = await createPipeline(server)
  })
  afterAll(async () => {
    await server.stop()
    await folder?.unmount()
  })

  const small = makeBytes(1000)
  const readReady = async () => await server.fetch('/ready')

  test('takes no upload, says so in /ready, and goes on reading; with room again it takes the rest', async () => {
    const { session_id } = await openSession(server, pipeline, small)
    expect((await readReady()).status).toBe(200)
    await Bun.write(join(folder?.path ?? '', 'ballast'), makeBytes(MIB * 3.5))
    await waitFor('the shortage is noticed', async () => (await readReady()).status === 503)
    const ready = await readFailure<{ services: { name: string; status: string }[] }>(await readReady())
    expect(ready).toMatchObject({ code: 5031, message: 'Not available: disk.' })

    const answers = [
      await postFile(server, pipeline.key, fileForm(pipeline.build, small)),
      await postSession(server, pipeline, small),
      await sendChunk(server, pipeline.key, session_id, small, [0, small.length]),
    ]
    for (const answer of answers) expect(await readFailure(answer)).toMatchObject({ status: 507, code: 5071 })
    expect(await readCurrentSize(server, pipeline.key, session_id)).toBe(0)
    expect((await pipeline.owner.fetch('/api/v1/private/me')).status).toBe(200)

    await rm(join(folder?.path ?? '', 'ballast'))
    await waitFor('there is room again', async () => (await readReady()).status === 200)
    expect((await sendChunk(server, pipeline.key, session_id, small, [0, small.length])).status).toBe(201)
  })

  test('refuses a file that would leave less than the reserve, before its bytes are sent', async () => {
    const failure = await readFailure(await postSession(server, pipeline, new Uint8Array(5 * MIB)))
    expect(failure).toMatchObject({ status: 507, code: 5071 })
  })
})

async function empty({ deps: { objects } }: TestServer): Promise<void> {
  for await (const { key } of objects.list('builds/')) await objects.delete(key)
}
