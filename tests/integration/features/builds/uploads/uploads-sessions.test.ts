import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../../../src/db/schema/builds.ts'
import { uploadSessions } from '../../../../../src/db/schema/uploads.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { startTwin } from '../../../../helpers/server.ts'
import { useStore } from '../../../../helpers/store.ts'
import {
  createPipeline,
  describeEachStorage,
  makeBytes,
  openSession,
  type Pipeline,
  readCurrentSize,
  sendChunk,
  startChunk,
  UPLOAD_PATH,
  type UploadedFile,
  type UploadSession,
} from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const MIB = 1024 * 1024

describeEachStorage('an upload in chunks', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ...env() }))
  let pipeline: Pipeline
  const bytes = makeBytes(20 * MIB + 17)
  const total = bytes.length

  async function open(changes: Record<string, string> = {}): Promise<UploadSession> {
    pipeline = await createPipeline(server)
    return await openSession(server, pipeline, bytes, changes)
  }
  const send = async (id: string, start: number, end: number) =>
    await sendChunk(server, pipeline.key, id, bytes, [start, end])
  const sizeOf = async (id: string) => await readCurrentSize(server, pipeline.key, id)
  const rowsOf = async () =>
    await server.deps.db.select().from(files).where(eq(files.gameUid, pipeline.game.uid))

  test('tells how far it is, answers 202 until the last chunk, and then like a single request', async () => {
    const session = await open({ filename: 'Big.ZIP', checksum: `sha256:${sha256Hex(bytes).toUpperCase()}` })
    expect(session).toMatchObject({ expected_size: total, current_size: 0, file_uid: null })
    const left = new Date(session.expires_at).getTime() - Date.now()
    expect(left).toBeWithin(6 * 60 * 60 * 1000 - 60_000, 6 * 60 * 60 * 1000 + 1)
    const id = session.session_id
    for (const [start, end] of [
      [0, 8 * MIB],
      [8 * MIB, 8 * MIB + 1],
      [8 * MIB + 1, 19 * MIB],
    ] as const) {
      const answer = await send(id, start, end)
      expect(answer.status).toBe(202)
      expect(await readData<UploadSession>(answer)).toEqual({ ...session, current_size: end })
      expect(await sizeOf(id)).toBe(end)
    }
    const answer = await send(id, 19 * MIB, total)
    expect(answer.status).toBe(201)
    const file = await readData<UploadedFile>(answer)
    expect(file).toEqual({
      file_uid: file.file_uid,
      build_id: pipeline.build.uid,
      filename: 'Big.ZIP',
      size: total,
      checksum: sha256Hex(bytes),
      scan: 'scanning',
      app: 'main',
      app_name: expect.any(String),
    })
    const [row, ...others] = await rowsOf()
    expect(others).toEqual([])
    expect(row).toMatchObject({ source: 'deploy_key', keyLast4: pipeline.key['x-access-token'].slice(-4) })
    const { stream } = await server.deps.objects.get(row?.objectKey ?? '')
    expect(sha256Hex(await Bun.readableStreamToBytes(stream))).toBe(sha256Hex(bytes))
  })

  test('ends at once with the build it is for, also while a chunk arrives: 404/4045', async () => {
    const { session_id: id } = await open()
    const chunk = startChunk(server, pipeline.key, id, [0, total, total])
    chunk.push(bytes.subarray(0, MIB))
    await waitFor('it is being written', async () => {
      const [row] = await server.deps.db.select().from(uploadSessions).where(eq(uploadSessions.uid, id))
      return row?.writer
    })
    const { uid } = pipeline.build
    const path = `/api/v1/private/games/${pipeline.game.uid}/builds/${uid}`
    expect((await pipeline.owner.fetch(path, { method: 'DELETE' })).status).toBe(200)
    expect(await readFailure(await send(id, 0, total))).toMatchObject({ status: 404, code: 4045 })
    chunk.push(bytes.subarray(MIB))
    chunk.close()
    expect((await readFailure(await chunk.answer)).status).toBe(404)
    expect(await rowsOf()).toEqual([])
    const stored = await Array.fromAsync(server.deps.objects.list(`builds/${pipeline.game.uid}/`))
    expect(stored).toEqual([])
  })

  test('answers a repeat of the chunk that completed it with the same 201', async () => {
    const { session_id: id } = await open()
    await send(id, 0, 10 * MIB)
    const first = await readData<UploadedFile>(await send(id, 10 * MIB, total))
    const again = await send(id, 10 * MIB, total)
    expect(again.status).toBe(201)
    expect(await readData<UploadedFile>(again)).toEqual(first)
    expect(await rowsOf()).toHaveLength(1)
    const earlier = await readFailure<UploadSession>(await send(id, 0, 10 * MIB))
    expect(earlier).toMatchObject({ status: 409, code: 4044, data: { current_size: total } })
    const answer = await server.fetch(`${UPLOAD_PATH}/sessions/${id}`, { headers: { ...pipeline.key } })
    expect(await readData<UploadSession>(answer)).toMatchObject({
      current_size: total,
      file_uid: first.file_uid,
    })
  })

  test('keeps what a client that hangs up has sent, and is resumed there', async () => {
    const { session_id: id } = await open()
    const chunk = startChunk(server, pipeline.key, id, [0, total, total])
    chunk.push(bytes.subarray(0, 12 * MIB))
    const [row] = await server.deps.db.select().from(uploadSessions).where(eq(uploadSessions.uid, id))
    await waitFor(
      'bytes are stored',
      async () => (await server.deps.objects.uploadSize(row?.uploadId ?? '')) >= 8 * MIB,
    )
    chunk.hangUp()
    await waitFor('the writer is done', async () => {
      const [now] = await server.deps.db.select().from(uploadSessions).where(eq(uploadSessions.uid, id))
      return now?.writer === null
    })
    const size = await sizeOf(id)
    expect(size).toBeWithin(8 * MIB, 12 * MIB + 1)
    expect((await send(id, size, total)).status).toBe(201)
  })

  test('keeps a chunk that is shorter than its range says: 409/4044, and is resumed there', async () => {
    const { session_id: id } = await open()
    const chunk = startChunk(server, pipeline.key, id, [0, 10 * MIB, total])
    chunk.push(bytes.subarray(0, 9 * MIB))
    chunk.close()
    const failure = await readFailure<UploadSession>(await chunk.answer)
    expect(failure).toMatchObject({ status: 409, code: 4044, data: { current_size: 9 * MIB } })
    expect((await send(id, 9 * MIB, total)).status).toBe(201)
  })

  test('refuses more bytes than the range of the chunk says: 413/4043, and keeps none of them', async () => {
    const { session_id: id } = await open()
    const declared = { headers: { 'content-range': `bytes 0-999/${total}` } }
    const whole = await sendChunk(server, pipeline.key, id, bytes, [0, 4 * MIB], declared)
    expect(await readFailure(whole)).toMatchObject({ status: 413, code: 4043, data: { current_size: 0 } })
    expect(await sizeOf(id)).toBe(0)
    for (const start of [0, 1000]) {
      const chunk = startChunk(server, pipeline.key, id, [start, 9 * MIB, total])
      chunk.push(makeBytes(9 * MIB - start + 1))
      chunk.close()
      const failure = await readFailure<UploadSession>(await chunk.answer)
      expect(failure).toMatchObject({ status: 413, code: 4043, data: { current_size: start } })
      expect(await sizeOf(id)).toBe(start)
      if (start === 0) expect((await send(id, 0, 1000)).status).toBe(202)
    }
    expect((await send(id, 1000, 9 * MIB)).status).toBe(202)
    expect((await send(id, 9 * MIB, total)).status).toBe(201)
  })

  test('is finished by another process that never saw its bytes', async () => {
    const { session_id: id } = await open()
    await send(id, 0, 10 * MIB)
    const other = await startTwin(server, env())
    try {
      const answer = await sendChunk(other, pipeline.key, id, bytes, [10 * MIB, total])
      expect(answer.status).toBe(201)
      expect(await rowsOf()).toHaveLength(1)
    } finally {
      await other.stop()
    }
  })

  test('that does not match its checksum is 400/4046 and over: nothing of it stays', async () => {
    const { session_id: id } = await open({ checksum: sha256Hex('other') })
    await send(id, 0, 10 * MIB)
    expect(await readFailure(await send(id, 10 * MIB, total))).toMatchObject({ status: 400, code: 4046 })
    expect(await readFailure(await send(id, 10 * MIB, total))).toMatchObject({ status: 404, code: 4045 })
    const objects = await Array.fromAsync(server.deps.objects.list(`builds/${pipeline.game.uid}/`))
    expect(objects).toEqual([])
    expect(await rowsOf()).toEqual([])
  })

  test('can be given up', async () => {
    const { session_id: id } = await open()
    await send(id, 0, MIB)
    const [row] = await server.deps.db.select().from(uploadSessions).where(eq(uploadSessions.uid, id))
    const init = { method: 'DELETE', headers: { ...pipeline.key } }
    expect((await server.fetch(`${UPLOAD_PATH}/sessions/${id}`, init)).status).toBe(200)
    const again = await server.fetch(`${UPLOAD_PATH}/sessions/${id}`, init)
    expect(await readFailure(again)).toMatchObject({ status: 404, code: 4045 })
    expect(server.deps.objects.uploadSize(row?.uploadId ?? '')).rejects.toThrow()
  })
})
