import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'

import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { type Bucket, createBucket, S3_MISSING } from '../../../helpers/upload-storages.ts'
import {
  createPipeline,
  fileForm,
  makeBytes,
  type OpenForm,
  openSession,
  postFile,
  sendChunk,
  startChunk,
  UPLOAD_PATH,
} from '../../../helpers/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const MIB = 1024 * 1024
const BYTES = makeBytes(100_000)

describe('an upload for which the store has no slot', () => {
  let server: TestServer
  beforeAll(async () => void (server = await startTestServer({ TRUST_PROXY: '1' })))
  afterEach(() => mock.restore())
  afterAll(() => server.stop())

  /** Nobody gets a slot before the test says so. */
  function holdSlots() {
    const start = Promise.withResolvers<void>()
    const waiting: AbortSignal[] = []
    spyOn(server.deps.store, 'acquireSlot').mockImplementation(async (signal) => {
      if (signal) waiting.push(signal)
      const left = Promise.withResolvers<never>()
      signal?.addEventListener('abort', () => left.reject(signal.reason))
      await Promise.race([start.promise, left.promise])
      return new DisposableStack()
    })
    return { waiting, start: start.resolve }
  }

  test('is not read and its time does not run; with a slot it goes on', async () => {
    const slots = holdSlots()
    const timeouts = spyOn(AbortSignal, 'timeout')
    const pipeline = await createPipeline(server)
    const { session_id } = await openSession(server, pipeline, BYTES)
    const chunk = sendChunk(server, pipeline.key, session_id, BYTES, [0, 50_000])
    const whole = postFile(server, pipeline.key, fileForm(pipeline.build, BYTES))
    await waitFor('both wait', () => slots.waiting.length === 2)
    expect(timeouts).not.toHaveBeenCalled()
    slots.start()
    expect([(await chunk).status, (await whole).status]).toEqual([202, 201])
    expect(timeouts).toHaveBeenCalledTimes(2)
  })

  test('no longer waits when its client has left, so that a retry can write', async () => {
    const slots = holdSlots()
    const pipeline = await createPipeline(server)
    const { session_id } = await openSession(server, pipeline, BYTES)
    const chunk = startChunk(server, pipeline.key, session_id, [0, 50_000, BYTES.length])
    await waitFor('it waits', () => slots.waiting.length === 1)
    chunk.hangUp()
    await waitFor('it has left', () => slots.waiting[0]?.aborted === true)
    mock.restore()
    const retry = () => sendChunk(server, pipeline.key, session_id, BYTES, [0, BYTES.length])
    await waitFor('the session is free', async () => (await retry()).status === 201)
  })
})

describe.skipIf(S3_MISSING)('on S3', () => {
  let bucket: Bucket
  let server: TestServer
  const open: { hangUp(): void }[] = []
  beforeAll(async () => {
    bucket = await createBucket()
    server = await startTestServer({ TRUST_PROXY: '1', ...bucket.env })
  })
  afterAll(async () => {
    for (const request of open) request.hangUp()
    await server.stop()
    await bucket.remove()
  })

  /** Sends a little every few milliseconds, so that it never pauses. */
  function trickle(form: OpenForm): { hangUp(): void } {
    const timer = setInterval(() => form.push(new Uint8Array(1000)), 20)
    return {
      hangUp() {
        clearInterval(timer)
        form.hangUp()
      },
    }
  }

  /** Sends the headers of a chunk and nothing else. */
  async function fallSilent(key: Record<string, string>, sessionId: string) {
    const headers = {
      ...{ ...key, host: 'localhost', 'x-upload-session-id': sessionId },
      ...{ 'content-type': 'multipart/form-data; boundary=b', 'content-length': String(MIB) },
      'content-range': `bytes 0-${MIB - 1}/${20 * MIB}`,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const socket = await Bun.connect({ hostname: '127.0.0.1', port: server.port, socket: { data() {} } })
    socket.write(`POST ${UPLOAD_PATH}/files HTTP/1.1\r\n${lines.join('')}\r\n`)
    return { hangUp: () => socket.terminate() }
  }

  test.each(['silent', 'slow'])(
    '%s senders in more sessions than there are slots keep nobody waiting',
    async (kind) => {
      for (const pipeline of [await createPipeline(server), await createPipeline(server)]) {
        for (let sessions = 0; sessions < 8; sessions += 1) {
          const { session_id } = await openSession(server, pipeline, new Uint8Array(20 * MIB))
          const range = [0, 16 * MIB, 20 * MIB] as const
          if (kind === 'silent') open.push(await fallSilent({ ...pipeline.key }, session_id))
          else open.push(trickle(startChunk(server, pipeline.key, session_id, range)))
        }
      }
      const { key, build } = await createPipeline(server)
      const answer = await postFile(server, key, fileForm(build, makeBytes(20 * MIB)))
      expect(answer.status).toBe(201)
    },
  )
})
