import { beforeAll, describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { builds, files } from '../../../../../src/db/schema/builds.ts'
import { uploadSessions } from '../../../../../src/db/schema/uploads.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { useStore, useTwin } from '../../../../helpers/store.ts'
import {
  createPipeline,
  formOf,
  makeBytes,
  openSession,
  type Pipeline,
  readCurrentSize,
  sendChunk,
  startChunk,
  type UploadedFile,
  type UploadSession,
  waitForWriter,
} from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const twin = useTwin(server)
let pipeline: Pipeline
let id: string

const BYTES = makeBytes(3_000_000)
const TOTAL = BYTES.length
const HALF = 1_500_000

/** A new session; with `size` its first bytes are there. */
async function open(size = 0): Promise<void> {
  pipeline = await createPipeline(server)
  id = (await openSession(server, pipeline, BYTES)).session_id
  if (size > 0) await send(0, size)
}
const send = async (start: number, end: number, at = server) =>
  await sendChunk(at, pipeline.key, id, BYTES, [start, end])
const readRow = async () => {
  const [row] = await server.deps.db.select().from(uploadSessions).where(eq(uploadSessions.uid, id))
  return row
}
/** A chunk under way: its first bytes are sent, and its writer has the session. */
async function beginChunk() {
  const chunk = startChunk(server, pipeline.key, id, [0, HALF, TOTAL])
  chunk.push(BYTES.subarray(0, 1000))
  await waitForWriter(server, id)
  return chunk
}
const finishChunk = async (chunk: ReturnType<typeof startChunk>) => {
  chunk.push(BYTES.subarray(1000, HALF))
  chunk.close()
  return await chunk.answer
}

describe('the headers of a chunk', () => {
  beforeAll(() => open(HALF))

  test.each([
    ['no session id', { without: ['x-upload-session-id'] }, 0],
    ['a session id that is none', { headers: { 'x-upload-session-id': 'nonsense' } }, 0],
    ['no Content-Range', { without: ['content-range'] }, HALF],
    ['another unit', { headers: { 'content-range': `items ${HALF}-${TOTAL - 1}/${TOTAL}` } }, HALF],
    ['no total', { headers: { 'content-range': `bytes ${HALF}-${TOTAL - 1}` } }, HALF],
    ['an unknown total', { headers: { 'content-range': `bytes ${HALF}-${TOTAL - 1}/*` } }, HALF],
    ['an end before the start', { headers: { 'content-range': `bytes ${HALF}-${HALF - 1}/${TOTAL}` } }, HALF],
    ['an end past the total', { headers: { 'content-range': `bytes ${HALF}-${TOTAL}/${TOTAL}` } }, HALF],
    ['signs', { headers: { 'content-range': `bytes -${HALF}-${TOTAL - 1}/${TOTAL}` } }, HALF],
    ['numbers past counting', { headers: { 'content-range': `bytes 0-${'9'.repeat(40)}/${TOTAL}` } }, HALF],
  ])('are refused with 400/4044 and current_size for %s', async (_, init, currentSize) => {
    const answer = await sendChunk(server, pipeline.key, id, BYTES, [HALF, TOTAL], init)
    const failure = await readFailure<UploadSession>(answer)
    expect(failure).toMatchObject({ status: 400, code: 4044, data: { current_size: currentSize } })
  })

  test.each([
    ['an offset before the end', `bytes 0-999/${TOTAL}`],
    ['an offset past the end', `bytes ${HALF + 1}-${TOTAL - 1}/${TOTAL}`],
  ])('do not continue the session with %s: 409/4044 and current_size', async (_, range) => {
    const init = { headers: { 'content-range': range } }
    const answer = await sendChunk(server, pipeline.key, id, BYTES, [HALF, TOTAL], init)
    const failure = await readFailure<UploadSession>(answer)
    expect(failure).toMatchObject({ status: 409, code: 4044, data: { current_size: HALF } })
  })

  test('with another total are 400/4044, which says the total of the session', async () => {
    const init = { headers: { 'content-range': `bytes ${HALF}-${TOTAL - 1}/${TOTAL + 1}` } }
    const failure = await readFailure(await sendChunk(server, pipeline.key, id, BYTES, [HALF, TOTAL], init))
    expect(failure).toMatchObject({ status: 400, code: 4044, data: { current_size: HALF } })
    expect(failure.message).toContain(`this session was opened for ${TOTAL}`)
  })

  test.each([
    ['no body', new Uint8Array()],
    ['a form without a file', formOf([['file', 'text']])],
  ])('with %s are a missing file: 400/4037', async (_, body) => {
    const answer = await sendChunk(server, pipeline.key, id, BYTES, [HALF, TOTAL], { body })
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4037 })
    expect(await readCurrentSize(server, pipeline.key, id)).toBe(HALF)
  })

  test('naming a session that is unknown, foreign, expired or lost are 404/4045', async () => {
    const mine = { pipeline, id }
    const expect4045 = async () =>
      expect(await readFailure(await send(0, HALF))).toMatchObject({ status: 404, code: 4045 })
    id = crypto.randomUUID()
    await expect4045()
    pipeline = await createPipeline(server)
    id = mine.id
    await expect4045()

    await open()
    await server.deps.db
      .update(uploadSessions)
      .set({ expiresAt: new Date() })
      .where(eq(uploadSessions.uid, id))
    await expect4045()
    await open()
    await server.deps.objects.abortUpload((await readRow())?.uploadId ?? '')
    await expect4045()
    ;({ pipeline, id } = mine)
  })
})

describe('a session has one writer', () => {
  test('another chunk meanwhile is 409/4047, in this process and in any other', async () => {
    await open()
    const chunk = await beginChunk()
    for (const at of [server, twin]) {
      expect(await readFailure(await send(0, HALF, at))).toMatchObject({ status: 409, code: 4047 })
    }
    const shouted = await sendChunk(server, pipeline.key, id.toUpperCase(), BYTES, [0, HALF])
    expect(await readFailure(shouted)).toMatchObject({ status: 409, code: 4047 })
    expect((await finishChunk(chunk)).status).toBe(202)
    expect((await send(HALF, TOTAL, twin)).status).toBe(201)
  })

  test('of many equal chunks at once one is written, in two processes', async () => {
    await open()
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => send(0, TOTAL, index % 2 === 0 ? server : twin)),
    )
    // Whoever comes after the first is done repeats the chunk that completed the upload.
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toContain(201)
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([])
    const rows = await server.deps.db.select().from(files).where(eq(files.gameUid, pipeline.game.uid))
    expect(rows).toHaveLength(1)
    const completed = await readData<UploadedFile>(await send(0, TOTAL))
    expect(completed.file_uid).toBe(rows[0]?.uid ?? '')
  })

  test('cannot be given up while a chunk is written', async () => {
    await open()
    const chunk = await beginChunk()
    const init = { method: 'DELETE', headers: { ...pipeline.key } }
    const answer = await server.fetch(`/api/v1/tool/upload/sessions/${id}`, init)
    expect(await readFailure(answer)).toMatchObject({ status: 409, code: 4047 })
    expect((await finishChunk(chunk)).status).toBe(202)
  })

  test('a silent one gives way to its client on a new connection, and keeps what it brought', async () => {
    await open()
    const silent = await beginChunk()
    const retried = await waitFor('the new chunk is let in', async () => {
      const answer = await send(1000, HALF, twin)
      return answer.status === 409 && (await readFailure(answer)).code === 4047 ? null : answer
    })
    expect(retried.status).toBe(202)
    const failure = await readFailure<UploadSession>(await silent.answer)
    expect(failure).toMatchObject({ status: 409, code: 4044, data: { current_size: 1000 } })
  })

  test('who loses the database session of its claim stops, and the upload is resumed', async () => {
    await open()
    const chunk = await beginChunk()
    const writer = (await readRow())?.writer ?? ''
    // Not that of the twin, which could take the next chunk before it learns of its own loss.
    await server.deps.db.execute(sql`
      select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
      where application_name = 'playshelf claim' and datname = current_database()
        and locktype = 'advisory' and objid = hashtext(${writer})::oid`)
    const { status, code, data } = await readFailure<UploadSession>(await chunk.answer)
    expect({ status, code }).toEqual({ status: 409, code: 4044 })
    // Whether the bytes were written before the session was lost is a matter of milliseconds.
    const kept = data?.current_size ?? -1
    expect([0, 1000]).toContain(kept)
    expect((await send(kept, TOTAL, twin)).status).toBe(201)
  })
})

describe('the last chunk', () => {
  test('whose file row cannot be written is 500/4048, and its repeat completes the upload', async () => {
    await open(HALF)
    const { db } = server.deps
    await db.execute(
      sql`alter table files add constraint luck check (game_uid <> ${sql.raw(`'${pipeline.game.uid}'`)})`,
    )
    expect(await readFailure(await send(HALF, TOTAL))).toMatchObject({ status: 500, code: 4048 })
    expect(await readCurrentSize(server, pipeline.key, id)).toBe(TOTAL)
    await db.execute(sql`alter table files drop constraint luck`)
    for (const at of [twin, server]) expect((await send(HALF, TOTAL, at)).status).toBe(201)
  })

  test('of a build that was deleted meanwhile is 404/4045 and leaves nothing behind', async () => {
    await open()
    const chunk = startChunk(server, pipeline.key, id, [0, TOTAL, TOTAL])
    chunk.push(BYTES.subarray(0, 1000))
    await waitForWriter(server, id)
    await server.deps.db.delete(builds).where(eq(builds.uid, pipeline.build.uid))
    chunk.push(BYTES.subarray(1000))
    chunk.close()
    expect((await chunk.answer).status).toBe(404)
    expect(await Array.fromAsync(server.deps.objects.list(`builds/${pipeline.game.uid}/`))).toEqual([])
  })
})
