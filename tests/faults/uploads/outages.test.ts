import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { uploadSessions } from '../../../src/db/schema/uploads.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { readFailure } from '../../helpers/json.ts'
import { behind, startTcpProxy, type TcpProxy } from '../../helpers/processes/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import {
  after,
  expectOneFile,
  expectOutage,
  resume,
  startCutStore,
} from '../../helpers/uploads/upload-outages.ts'
import {
  createPipeline,
  fileForm,
  makeBytes,
  openSession,
  type Pipeline,
  postFile,
  readCurrentSize,
  S3_MISSING,
  sendChunk,
  startChunk,
  UPLOAD_PATH,
} from '../../helpers/uploads/uploads.ts'
import { waitFor } from '../../helpers/wait.ts'

const MIB = 1024 * 1024
const BYTES = makeBytes(20 * MIB)
const CHECKSUM = sha256Hex(BYTES)

describe.skipIf(S3_MISSING)('an object store that goes away', () => {
  let proxy: TcpProxy
  let server: TestServer
  let stop: () => Promise<void>
  let pipeline: Pipeline
  beforeAll(async () => {
    const store = await startCutStore()
    ;({ proxy, server } = store)
    stop = () => store[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    pipeline = await createPipeline(server)
  })
  afterAll(async () => await stop())

  test('in the middle of a file is told as 503/5031, and the file can be sent again', async () => {
    const cut = proxy.cutWhen(after(10 * MIB))
    const answer = await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))
    await cut
    expect(await readFailure(answer)).toMatchObject({ status: 503, code: 5031 })
    await proxy.restore()
    expect((await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))).status).toBe(201)
    await expectOneFile(server, pipeline, BYTES)
  })

  test.each([
    ['in the middle of a chunk', after(10 * MIB)],
    ['while the last byte is kept', after(19 * MIB)],
    [
      'while the upload is completed',
      (piece: Buffer) => /^POST [^ ]+uploadId=/.test(piece.toString('latin1')),
    ],
  ])('%s costs no byte that was kept: the session goes on', async (_, fits) => {
    const { session_id } = await openSession(server, pipeline, BYTES)
    expect((await sendChunk(server, pipeline.key, session_id, BYTES, [0, 5 * MIB])).status).toBe(202)
    const cut = proxy.cutWhen(fits)
    const answer = await sendChunk(server, pipeline.key, session_id, BYTES, [5 * MIB, BYTES.length])
    await cut
    await expectOutage(answer)
    await proxy.restore()
    expect(await readCurrentSize(server, pipeline.key, session_id)).toBeGreaterThanOrEqual(5 * MIB)
    expect((await resume(server, pipeline, session_id, BYTES)).status).toBe(201)
    await expectOneFile(server, pipeline, BYTES)
  })
})

describe('a database that goes away', () => {
  let proxy: TcpProxy
  let steady: TestServer
  let server: TestServer
  let pipeline: Pipeline
  beforeAll(async () => {
    steady = await startTestServer({ TRUST_PROXY: '1' })
    const { hostname, port } = new URL(steady.databaseUrl)
    proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) })
    const DATABASE_URL = behind(steady.databaseUrl, proxy)
    server = await startTestServer({ TRUST_PROXY: '1', DATABASE_URL, DATA_DIR: steady.dataDir })
  })
  beforeEach(async () => {
    pipeline = await createPipeline(steady)
  })
  afterAll(async () => {
    await server.stop()
    await proxy[Symbol.asyncDispose]()
    await steady.stop()
  })
  /** Only the transaction that records the file sends its checksum; others, such as that of a check, come any time. */
  const recording = (piece: Buffer) => piece.includes(CHECKSUM)

  test('while a file is recorded is told as 500/4048, and the file can be sent again', async () => {
    const cut = proxy.cutWhen(recording)
    const answer = await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))
    await cut
    expect(await readFailure(answer)).toMatchObject({ status: 500, code: 4048 })
    await proxy.restore()
    expect((await postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))).status).toBe(201)
    await expectOneFile(steady, pipeline, BYTES)
  })

  const waitForWriter = (sessionId: string) =>
    waitFor('the chunk has its session', async () => {
      const where = eq(uploadSessions.uid, sessionId)
      return (await steady.deps.db.select().from(uploadSessions).where(where))[0]?.writer
    })

  test('before the file of a chunk arrives ends it with where to go on', async () => {
    const { session_id } = await openSession(steady, pipeline, BYTES)
    const control = new AbortController()
    const answer = fetch(`${server.url}${UPLOAD_PATH}/files`, {
      method: 'POST',
      headers: {
        ...pipeline.key,
        'content-type': 'multipart/form-data; boundary=slow',
        'x-upload-session-id': session_id,
        'content-range': `bytes 0-${BYTES.length - 1}/${BYTES.length}`,
      },
      body: new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('--slow\r\n')) }),
      signal: control.signal,
    })
    await waitForWriter(session_id)
    proxy.cut()
    await expectOutage(await answer)
    control.abort()
    await proxy.restore()
    expect((await resume(server, pipeline, session_id, BYTES)).status).toBe(201)
    await expectOneFile(steady, pipeline, BYTES)
  })

  test('in the middle of a chunk ends it with where to go on', async () => {
    const { session_id } = await openSession(steady, pipeline, BYTES)
    const chunk = startChunk(server, pipeline.key, session_id, [0, BYTES.length, BYTES.length])
    chunk.push(BYTES.subarray(0, 5 * MIB))
    await waitForWriter(session_id)
    proxy.cut()
    await expectOutage(await chunk.answer)
    const refused = await sendChunk(server, pipeline.key, session_id, BYTES, [0, BYTES.length])
    expect(await readFailure(refused)).toMatchObject({ status: 503, code: 5031 })
    await proxy.restore()
    expect((await resume(server, pipeline, session_id, BYTES)).status).toBe(201)
    await expectOneFile(steady, pipeline, BYTES)
  })

  test('while a session is completed is told as 500/4048, and the last chunk completes it again', async () => {
    const { session_id } = await openSession(steady, pipeline, BYTES)
    const cut = proxy.cutWhen(recording)
    const answer = await sendChunk(server, pipeline.key, session_id, BYTES, [0, BYTES.length])
    await cut
    expect(await readFailure(answer)).toMatchObject({ status: 500, code: 4048 })
    await proxy.restore()
    expect((await resume(server, pipeline, session_id, BYTES)).status).toBe(201)
    await expectOneFile(steady, pipeline, BYTES)
  })
})
