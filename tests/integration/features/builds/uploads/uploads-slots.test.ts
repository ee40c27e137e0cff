import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'

import { readFailure } from '../../../../helpers/json.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import {
  type Bucket,
  createBucket,
  createPipeline,
  fileForm,
  makeBytes,
  type OpenForm,
  openSession,
  postFile,
  S3_MISSING,
  sendChunk,
  signUpVerified,
  startChunk,
  UPLOAD_PATH,
} from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const MIB = 1024 * 1024
const BYTES = makeBytes(100_000)
/** Far less than a turn of every slow sender would take. */
const PROMPT_MS = 20_000

describe('an upload for which the store has no slot', () => {
  let server: TestServer
  beforeAll(async () => void (server = await startTestServer({ TRUST_PROXY: '1' })))
  afterEach(() => mock.restore())
  afterAll(() => server.stop())

  /** Nobody gets a slot before the test says so. */
  function holdSlots() {
    const start = Promise.withResolvers<void>()
    const waiting: AbortSignal[] = []
    spyOn(server.deps.objects, 'acquireSlot').mockImplementation(async (_, signal) => {
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
      ...key,
      host: 'localhost',
      'x-upload-session-id': sessionId,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(MIB),
      'content-range': `bytes 0-${MIB - 1}/${20 * MIB}`,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const socket = await Bun.connect({ hostname: '127.0.0.1', port: server.port, socket: { data() {} } })
    socket.write(`POST ${UPLOAD_PATH}/files HTTP/1.1\r\n${lines.join('')}\r\n`)
    return { hangUp: () => socket.terminate() }
  }

  afterEach(() => {
    for (const request of open.splice(0)) request.hangUp()
  })

  test.each(['silent', 'slow'])(
    '%s senders of one owner keep nobody else waiting; more than 32 are refused: 429/4291',
    async (kind) => {
      const owner = await signUpVerified(server)
      const answers: Promise<Response>[] = []
      for (let games = 0; games < 5; games += 1) {
        const pipeline = await createPipeline(server, owner)
        const sessions = await Promise.all(
          Array.from({ length: 8 }, () =>
            openSession(server, pipeline, BYTES, { total_size: String(20 * MIB) }),
          ),
        )
        for (const { session_id } of sessions) {
          if (kind === 'silent') {
            open.push(await fallSilent({ ...pipeline.key }, session_id))
          } else {
            const form = startChunk(server, pipeline.key, session_id, [0, 16 * MIB, 20 * MIB])
            answers.push(form.answer)
            open.push(trickle(form))
          }
        }
      }
      const { key, build } = await createPipeline(server, await signUpVerified(server))
      const began = performance.now()
      const answer = await postFile(server, key, fileForm(build, makeBytes(20 * MIB)))
      expect(answer.status).toBe(201)
      expect(performance.now() - began).toBeLessThan(PROMPT_MS)
      if (kind === 'silent') return
      const refused = await Promise.any(answers)
      expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4291 })
    },
  )
})
