import { afterEach, describe, expect, mock, spyOn, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { uploadSessions } from '../../../../../src/db/schema/uploads.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { insertBuild, issueDeployKey } from '../../../../helpers/builds.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { insertGame } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { useStore } from '../../../../helpers/store.ts'
import {
  createPipeline,
  fileForm,
  makeBytes,
  openSession,
  type Pipeline,
  postSession,
  readCurrentSize,
  sendChunk,
  startChunk,
  startForm,
  UPLOAD_PATH,
  type UploadSession,
} from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
afterEach(() => mock.restore())

const BYTES = makeBytes(1000)
const GB5 = 5 * 1024 ** 3

describe('opening a session', () => {
  test('takes JSON as well as a form', async () => {
    const { key, build } = await createPipeline(server)
    const open = async (body: object) =>
      await server.fetch(`${UPLOAD_PATH}/sessions`, {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const fields = { filename: 'a.zip', total_size: GB5, checksum: sha256Hex(BYTES), build_id: build.uid }
    const answer = await open(fields)
    expect(answer.status).toBe(201)
    expect(await readData<UploadSession>(answer)).toMatchObject({ expected_size: GB5, current_size: 0 })
    expect(await readFailure(await open({ ...fields, file_name: 'b.zip' }))).toMatchObject({
      status: 400,
      code: 4000,
    })
    expect(await readFailure(await open({ ...fields, filename: ['b.zip'] }))).toMatchObject({
      status: 400,
      code: 4000,
    })
    expect(await readFailure(await open([]))).toMatchObject({ status: 400, code: 4000 })
  })

  test.each([
    [400, 4041, { filename: 'game.exe' }],
    [400, 4041, { filename: '' }],
    [400, 4041, { filename: '.zip' }],
    [400, 4041, { filename: 'folder/game.zip' }],
    [400, 4041, { filename: 'folder\\game.zip' }],
    [400, 4041, { filename: 'line\nbreak.zip' }],
    [400, 4041, { filename: `${'x'.repeat(252)}.zip` }],
    [400, 4041, { checksum: '' }],
    [400, 4041, { checksum: 'sha256:abc' }],
    [400, 4041, { os: 'windows' }],
    [400, 4000, { total_size: '' }],
    [400, 4000, { total_size: '0' }],
    [400, 4000, { total_size: '-1' }],
    [400, 4000, { total_size: '1.5' }],
    [400, 4000, { version: 'a\0b' }],
    [413, 4043, { total_size: String(GB5 + 1) }],
    [400, 4038, { build_id: '' }],
    [404, 4039, { build_id: crypto.randomUUID() }],
  ])('is refused with %i/%i for %j', async (status, code, changes) => {
    const answer = await postSession(server, await createPipeline(server), BYTES, changes)
    expect(await readFailure(answer)).toMatchObject({ status, code })
  })

  test('ignores form fields nobody knows', async () => {
    const answer = await postSession(server, await createPipeline(server), BYTES, { colour: 'green' })
    expect(answer.status).toBe(201)
  })

  test('needs the verified e-mail of the owner: 403/4096', async () => {
    const owner = await signUp(server)
    const game = await insertGame(server, owner)
    const key = await issueDeployKey(server, game.uid)
    const pipeline: Pipeline = { owner, game, key, build: await insertBuild(server, game.uid) }
    expect(await readFailure(await postSession(server, pipeline, BYTES))).toMatchObject({
      status: 403,
      code: 4096,
    })
  })

  test('is possible eight times per game, exactly, also all at once; the ninth is 429/4291', async () => {
    const pipeline = await createPipeline(server)
    const answers = await Promise.all(Array.from({ length: 20 }, () => postSession(server, pipeline, BYTES)))
    const opened = answers.filter(({ status }) => status === 201)
    expect(opened).toHaveLength(8)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(6 * 60 * 60 - 120)
      expect(await readFailure(answer)).toMatchObject({ status: 429, code: 4291 })
    }
    const [first, second, third] = await Promise.all(opened.map((answer) => readData<UploadSession>(answer)))
    const isOpenAgain = async () => expect((await postSession(server, pipeline, BYTES)).status).toBe(201)

    await sendChunk(server, pipeline.key, first?.session_id ?? '', BYTES, [0, BYTES.length])
    await isOpenAgain()
    const path = `${UPLOAD_PATH}/sessions/${second?.session_id}`
    await server.fetch(path, { method: 'DELETE', headers: { ...pipeline.key } })
    await isOpenAgain()
    await server.deps.db
      .update(uploadSessions)
      .set({ expiresAt: new Date() })
      .where(eq(uploadSessions.uid, third?.session_id ?? ''))
    await isOpenAgain()
    expect((await postSession(server, pipeline, BYTES)).status).toBe(429)
  })
})

describe('limits of uploads', () => {
  test.each([
    ['a little more than 5 GB', GB5 + 2 * 1024 ** 2],
    ['7 GB', 7 * 1024 ** 3],
    ['a petabyte', 1024 ** 5],
  ])('%s are refused by the length alone: 413/4043', async (_, length) => {
    const { key, build } = await createPipeline(server)
    const form = new Response(fileForm(build, BYTES))
    const answer = await askRaw({ ...key }, form.headers.get('content-type') ?? '', length)
    expect(answer).toContain('HTTP/1.1 413')
    expect(answer).toContain('"code":4043')
  })

  test('a request has five minutes and a second for every 512 KB: what arrived of a chunk by then is kept', async () => {
    const { limits, expire } = holdTime()
    const pipeline = await createPipeline(server)
    const bytes = makeBytes(3 * 512 * 1024)
    const { session_id } = await openSession(server, pipeline, bytes)
    const chunk = startChunk(server, pipeline.key, session_id, [0, bytes.length, bytes.length])
    chunk.push(bytes.subarray(0, 1000))
    const size = async () => await readCurrentSize(server, pipeline.key, session_id)
    await waitFor('the first bytes are kept', async () => (await size()) === 1000)
    expect(limits).toEqual([303_000])
    expire()
    expect(await readFailure(await chunk.answer)).toMatchObject({
      status: 409,
      code: 4044,
      data: { current_size: 1000 },
    })
  })

  test('a whole file that takes longer than its time is refused and leaves nothing: 400/4037', async () => {
    const { limits, expire } = holdTime()
    const { key, build, game } = await createPipeline(server)
    const form = startForm(server, `${UPLOAD_PATH}/files`, { ...key }, { build_id: build.uid })
    form.push(BYTES)
    await waitFor('its time runs', () => limits.length === 1)
    expect(limits).toEqual([(5 * 60 + GB5 / (512 * 1024)) * 1000])
    expire()
    const failure = await readFailure(await form.answer)
    expect(failure).toMatchObject({ status: 400, code: 4037, message: 'The form took too long to arrive.' })
    expect(await Array.fromAsync(server.deps.objects.list(`builds/${game.uid}/`))).toEqual([])
  })

  test('60 uploads a minute per game: the next is 429/4291; chunks are counted apart', async () => {
    const pipeline = await createPipeline(server)
    const { session_id } = await openSession(server, pipeline, BYTES)
    const ask = async () =>
      await server.fetch(`${UPLOAD_PATH}/files`, { method: 'POST', headers: { ...pipeline.key } })
    for (let left = 58; left >= 0; left -= 1) {
      const answer = await ask()
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4037 })
      expect(answer.headers.get('ratelimit-limit')).toBe('60')
      expect(answer.headers.get('ratelimit-remaining')).toBe(String(left))
    }
    const refused = await ask()
    expect(refused.headers.get('retry-after')).not.toBeNull()
    expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4291 })
    expect(await readFailure(await postSession(server, pipeline, BYTES))).toMatchObject({
      status: 429,
      code: 4291,
    })
    const chunk = await sendChunk(server, pipeline.key, session_id, BYTES, [0, BYTES.length])
    expect(chunk.status).toBe(201)
    expect(chunk.headers.get('ratelimit-limit')).toBe('1200')
  })

  test('1,200 chunks a minute per game: the next is 429/4291', async () => {
    const { key } = await createPipeline(server)
    const headers = { ...key, 'x-upload-session-id': 'none' }
    const ask = async () => await server.fetch(`${UPLOAD_PATH}/files`, { method: 'POST', headers })
    for (let sent = 0; sent < 1200; sent += 100) {
      const answers = await Promise.all(Array.from({ length: 100 }, ask))
      expect(answers.filter(({ status }) => status !== 400)).toEqual([])
    }
    expect(await readFailure(await ask())).toMatchObject({ status: 429, code: 4291 })
  })
})

/** The time of requests ends when the test says. */
function holdTime() {
  const limits: number[] = []
  const control = new AbortController()
  spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms)
    return control.signal
  })
  return { limits, expire: () => control.abort(new DOMException('The time is over', 'TimeoutError')) }
}

/** A request that promises a body and waits for the answer before sending any of it. */
async function askRaw(key: Record<string, string>, type: string, length: number): Promise<string> {
  const headers = { ...key, host: 'localhost', 'content-type': type, 'content-length': String(length) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const answer = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    socket: { data: (_, bytes) => answer.resolve(bytes.toString()) },
  })
  socket.write(`POST ${UPLOAD_PATH}/files HTTP/1.1\r\n${lines.join('')}\r\n`)
  try {
    return await answer.promise
  } finally {
    socket.end()
  }
}
