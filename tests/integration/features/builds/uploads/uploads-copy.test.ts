import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../../../src/db/schema/builds.ts'
import { COPY_BYTES_MAX } from '../../../../../src/features/builds/uploads/model.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { makeBytes } from '../../../../contract/object-store-bytes.ts'
import type { FileRow } from '../../../../helpers/builds.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { useStore } from '../../../../helpers/store.ts'
import { type CopyRange, postCopy, storeBase } from '../../../../helpers/uploads/upload-copies.ts'
import {
  createPipeline,
  describeEachStorage,
  openSession,
  type Pipeline,
  postSession,
  readCurrentSize,
  sendChunk,
  startChunk,
  type UploadedFile,
  type UploadSession,
  waitForWriter,
} from '../../../../helpers/uploads/uploads.ts'

const MIB = 1024 * 1024
const BASE = makeBytes(20 * MIB + 7)
const CHANGED = makeBytes(1000)
/** The base with a piece replaced in its middle, and one removed behind it. */
const CUT = 9 * MIB + 3
const SKIPPED = 500
const BYTES = Buffer.concat([BASE.subarray(0, CUT), CHANGED, BASE.subarray(CUT + SKIPPED)])
const TOTAL = BYTES.length
const REST = CUT + CHANGED.length

describeEachStorage('copying from an earlier file', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ...env() }))
  let pipeline: Pipeline
  let base: FileRow
  beforeAll(async () => {
    pipeline = await createPipeline(server)
    base = await storeBase(server, pipeline, BASE)
  })

  const open = async () =>
    (await openSession(server, pipeline, BYTES, { base_file_uid: base.uid })).session_id
  const copy = async (id: string, ...ranges: CopyRange[]) => await postCopy(server, pipeline.key, id, ranges)
  const send = async (id: string, start: number, end: number) =>
    await sendChunk(server, pipeline.key, id, BYTES, [start, end])
  const head = { at: 0, from: 0, length: CUT }
  const rest = { at: REST, from: CUT + SKIPPED, length: TOTAL - REST }

  test('ends with the bytes of a full upload, also when a lost answer is asked for again', async () => {
    const id = await open()
    const answers = [await copy(id, head), await send(id, CUT, REST)]
    for (const answer of answers) expect(answer.status).toBe(202)
    const last = await copy(id, rest)
    expect(last.status).toBe(201)
    const file = await readData<UploadedFile>(last)
    expect(file).toMatchObject({ size: TOTAL, checksum: sha256Hex(BYTES), scan: 'scanning' })
    expect(await readData<UploadedFile>(await copy(id, rest))).toEqual(file)
    const [row] = await server.deps.db.select().from(files).where(eq(files.uid, file.file_uid))
    expect(row).toMatchObject({ source: 'deploy_key', scan: 'scanning' })
    const { stream } = await server.deps.objects.get(row?.objectKey ?? '')
    expect(sha256Hex(await Bun.readableStreamToBytes(stream))).toBe(sha256Hex(BYTES))
  })

  test('many small ranges in any order of the base are one copy', async () => {
    const ranges: CopyRange[] = []
    for (let at = 0; at < 100_000; at += 100) ranges.push({ at, from: BASE.length - at - 100, length: 100 })
    const bytes = Buffer.concat(ranges.map(({ from, length }) => BASE.subarray(from, from + length)))
    const { session_id } = await openSession(server, pipeline, bytes, { base_file_uid: base.uid })
    const done = await postCopy(server, pipeline.key, session_id, ranges)
    expect(done.status).toBe(201)
    expect(await readData<UploadedFile>(done)).toMatchObject({ checksum: sha256Hex(bytes) })
  })

  test('a repeated or displaced copy is answered with current_size, like a chunk', async () => {
    const id = await open()
    expect(await readData<UploadSession>(await copy(id, head))).toMatchObject({
      current_size: CUT,
      base_file_uid: base.uid,
    })
    for (const range of [head, rest]) {
      const failure = await readFailure(await copy(id, range))
      expect(failure).toMatchObject({ status: 409, code: 4044, data: { current_size: CUT } })
    }
  })

  test('ranges that are none are 400/4044 and leave the session as it was', async () => {
    const id = await open()
    await send(id, 0, 1000)
    for (const ranges of [
      [{ at: 1000, from: 0, length: TOTAL }],
      [
        { at: 1000, from: 0, length: 10 },
        { at: 1011, from: 0, length: 10 },
      ],
    ]) {
      const failure = await readFailure(await copy(id, ...ranges))
      expect(failure).toMatchObject({ status: 400, code: 4044, data: { current_size: 1000 } })
    }
    for (const range of [
      { at: 1000, from: 0, length: 0 },
      { at: -1, from: 0, length: 5 },
      { at: 1.5, from: 0, length: 5 },
    ]) {
      expect(await readFailure(await copy(id, range))).toMatchObject({ status: 400, code: 4000 })
    }
    expect(await readCurrentSize(server, pipeline.key, id)).toBe(1000)
  })

  test('outside the base, from a base that is gone, or without one is 409/4049: the bytes are sent', async () => {
    const doomed = await storeBase(server, pipeline, BASE.subarray(0, 5000))
    const fields = { base_file_uid: doomed.uid }
    const { session_id } = await openSession(server, pipeline, BYTES, fields)
    const unusable = { status: 409, code: 4049, data: { current_size: 0 } }
    const outside = { at: 0, from: 4990, length: 11 }
    expect(await readFailure(await copy(session_id, outside))).toMatchObject(unusable)
    await server.deps.objects.delete(doomed.objectKey)
    const inside = { at: 0, from: 0, length: 10 }
    expect(await readFailure(await copy(session_id, inside))).toMatchObject(unusable)
    await server.deps.db.delete(files).where(eq(files.uid, doomed.uid))
    expect(await readFailure(await copy(session_id, inside))).toMatchObject(unusable)
    const { session_id: without } = await openSession(server, pipeline, BYTES)
    expect(await readFailure(await copy(without, inside))).toMatchObject(unusable)
    expect((await send(session_id, 0, TOTAL)).status).toBe(201)
  })

  test('other bytes than the checksum says are 400/4046', async () => {
    const wrong = makeBytes(1000)
    const { session_id } = await openSession(server, pipeline, wrong, { base_file_uid: base.uid })
    const failure = await readFailure(await copy(session_id, { at: 0, from: 1, length: 1000 }))
    expect(failure).toMatchObject({ status: 400, code: 4046 })
    // A key could read a build byte by byte if it learned what it copied.
    expect(failure.message).not.toMatch(/[0-9a-f]{64}/)
  })

  test('has one writer: 409/4047 while a chunk is written', async () => {
    const id = await open()
    const chunk = startChunk(server, pipeline.key, id, [0, 1000, TOTAL])
    chunk.push(BYTES.subarray(0, 10))
    await waitForWriter(server, id)
    expect(await readFailure(await copy(id, head))).toMatchObject({ status: 409, code: 4047 })
    chunk.push(BYTES.subarray(10, 1000))
    chunk.close()
    expect((await chunk.answer).status).toBe(202)
  })
})

describe('the base of a session', () => {
  const server = useStore({ TRUST_PROXY: '1' })

  test('is a clean stored file of the same game; anything else is 409/4049', async () => {
    const [pipeline, other] = [await createPipeline(server), await createPipeline(server)]
    const bytes = makeBytes(100)
    const scanning = await storeBase(server, pipeline, bytes, { scan: 'scanning' })
    const foreign = await storeBase(server, other, bytes)
    const lost = await storeBase(server, pipeline, bytes)
    await server.deps.objects.delete(lost.objectKey)
    const clean = await storeBase(server, pipeline, bytes)
    for (const base_file_uid of [scanning.uid, foreign.uid, lost.uid, crypto.randomUUID(), 'nonsense']) {
      const answer = await postSession(server, pipeline, BYTES, { base_file_uid })
      expect(await readFailure(answer)).toMatchObject({ status: 409, code: 4049 })
    }
    const answer = await postSession(server, pipeline, BYTES, { base_file_uid: clean.uid })
    expect(await readData<UploadSession>(answer)).toMatchObject({ base_file_uid: clean.uid })
    const { session_id } = await openSession(server, pipeline, bytes, { base_file_uid: clean.uid })
    const range = { at: 0, from: 0, length: bytes.length }
    const foreignKey = await postCopy(server, other.key, session_id, [range])
    expect(await readFailure(foreignKey)).toMatchObject({ status: 404, code: 4045 })
  })

  test('gives at most 1 GB in one request', async () => {
    const pipeline = await createPipeline(server)
    const base = await storeBase(server, pipeline, makeBytes(10))
    const fields = { base_file_uid: base.uid, total_size: String(COPY_BYTES_MAX + 2) }
    const { session_id } = await openSession(server, pipeline, BYTES, fields)
    const range = { at: 0, from: 0, length: COPY_BYTES_MAX + 1 }
    const answer = await postCopy(server, pipeline.key, session_id, [range])
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4044, data: { current_size: 0 } })
  })
})
