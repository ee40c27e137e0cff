import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../../../src/db/schema/builds.ts'
import { uploadSessions } from '../../../../../src/db/schema/uploads.ts'
import { reclaim } from '../../../../../src/features/storage/reclaim.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { startTwin } from '../../../../helpers/server.ts'
import { useStore } from '../../../../helpers/store.ts'
import { postCopy, storeBase } from '../../../../helpers/uploads/upload-copies.ts'
import {
  createPipeline,
  describeEachStorage,
  formOf,
  makeBytes,
  type Pipeline,
  readCurrentSize,
  sendChunk,
  UPLOAD_PATH,
  type UploadedFile,
  type UploadSession,
  zipFile,
} from '../../../../helpers/uploads/uploads.ts'

const MIB = 1024 ** 2
const BYTES = makeBytes(7 * MIB + 5)
const TOTAL = BYTES.length
const HALF = 6 * MIB
const CHECKSUM = sha256Hex(BYTES)

describeEachStorage('a checksum that comes with the last chunk', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ...env() }))
  let pipeline: Pipeline

  const post = async (changes: Record<string, unknown>, isJson = false) => {
    const fields = { filename: 'game.zip', total_size: TOTAL, build_id: pipeline.build.uid, ...changes }
    const form = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
    return await server.fetch(`${UPLOAD_PATH}/sessions`, {
      method: 'POST',
      headers: { ...pipeline.key, ...(isJson && { 'content-type': 'application/json' }) },
      body: isJson ? JSON.stringify(fields) : new URLSearchParams(form),
    })
  }
  /** A new session without a checksum, with its first bytes. */
  async function open(changes: Record<string, string> = {}, size = HALF): Promise<string> {
    pipeline = await createPipeline(server)
    const answer = await post({ checksum_in_last_chunk: 'true', ...changes })
    expect(answer.status).toBe(201)
    const { session_id: id } = await readData<UploadSession>(answer)
    if (size > 0) expect((await sendChunk(server, pipeline.key, id, BYTES, [0, size])).status).toBe(202)
    return id
  }
  /** The last chunk; the checksum comes after the file, as from a client that hashes while it sends. */
  const sendLast = async (id: string, checksum: string | null, start = HALF, at = server) => {
    const file = ['file', zipFile(BYTES.subarray(start), 'chunk')] as const
    const body = formOf(checksum === null ? [file] : [file, ['checksum', checksum]])
    return await sendChunk(at, pipeline.key, id, BYTES, [start, TOTAL], { body })
  }
  const listFiles = async () =>
    await server.deps.db.select().from(files).where(eq(files.gameUid, pipeline.game.uid))
  const listObjects = async () =>
    await Array.fromAsync(server.deps.objects.list(`builds/${pipeline.game.uid}/`))

  test('completes the upload, and a repeat gets the same response without it', async () => {
    const id = await open()
    const answer = await sendLast(id, `sha256:${CHECKSUM.toUpperCase()}`)
    expect(answer.status).toBe(201)
    const file = await readData<UploadedFile>(answer)
    expect(file).toMatchObject({ checksum: CHECKSUM, size: TOTAL, scan: 'scanning' })
    for (const checksum of [null, CHECKSUM, 'x']) {
      const again = await sendLast(id, checksum)
      expect(again.status).toBe(201)
      expect(await readData<UploadedFile>(again)).toEqual(file)
    }
    expect(await listFiles()).toMatchObject([{ uid: file.file_uid, checksum: CHECKSUM }])
  })

  test('may stand before the file, and be announced in JSON', async () => {
    pipeline = await createPipeline(server)
    const opened = await post({ checksum_in_last_chunk: true }, true)
    expect(opened.status).toBe(201)
    const { session_id: id } = await readData<UploadSession>(opened)
    const body = formOf([
      ['checksum', CHECKSUM],
      ['file', zipFile(BYTES, 'chunk')],
    ])
    expect((await sendChunk(server, pipeline.key, id, BYTES, [0, TOTAL], { body })).status).toBe(201)
  })

  test('that does not match is 400/4046 and ends the session: nothing of it stays', async () => {
    const id = await open()
    expect(await readFailure(await sendLast(id, sha256Hex('other')))).toMatchObject({
      status: 400,
      code: 4046,
    })
    expect(await readFailure(await sendLast(id, CHECKSUM))).toMatchObject({ status: 404, code: 4045 })
    expect(await listObjects()).toEqual([])
    expect(await listFiles()).toEqual([])
  })

  test.each([
    ['missing', null],
    ['malformed', 'abc'],
  ])('that is %s at the end is 400/4041, and may follow with the last byte', async (_, checksum) => {
    const id = await open()
    for (const start of [HALF, TOTAL - 1]) {
      const failure = await readFailure<UploadSession>(await sendLast(id, checksum, start))
      expect(failure).toMatchObject({ status: 400, code: 4041, data: { current_size: TOTAL } })
    }
    expect(await listFiles()).toEqual([])
    const answer = await sendLast(id, CHECKSUM, TOTAL - 1)
    expect(answer.status).toBe(201)
    expect(await readData<UploadedFile>(answer)).toMatchObject({ checksum: CHECKSUM })
  })

  test('is compared by another process that never saw the bytes', async () => {
    const id = await open()
    const twin = await startTwin(server, env())
    try {
      expect(await readCurrentSize(twin, pipeline.key, id)).toBe(HALF)
      expect((await sendLast(id, CHECKSUM, HALF, twin)).status).toBe(201)
    } finally {
      await twin.stop()
    }
  })

  test('may come with ranges of a base', async () => {
    pipeline = await createPipeline(server)
    const base = await storeBase(server, pipeline, BYTES)
    const opened = await post({ checksum_in_last_chunk: 'true', base_file_uid: base.uid })
    const { session_id: id } = await readData<UploadSession>(opened)
    const ranges = [{ at: 0, from: 0, length: TOTAL }]
    const failure = await readFailure<UploadSession>(await postCopy(server, pipeline.key, id, ranges))
    expect(failure).toMatchObject({ status: 400, code: 4041, data: { current_size: TOTAL } })
    expect((await postCopy(server, pipeline.key, id, ranges, CHECKSUM)).status).toBe(201)
  })

  test('is needed when the session opens unless announced, and not asked for twice', async () => {
    pipeline = await createPipeline(server)
    const refused = [
      {},
      { checksum_in_last_chunk: 'false' },
      { checksum_in_last_chunk: 'yes' },
      { checksum_in_last_chunk: 'true', checksum: 'abc' },
    ]
    for (const fields of refused) {
      expect(await readFailure(await post(fields))).toMatchObject({ status: 400, code: 4041 })
    }
    const id = await open({ checksum: CHECKSUM })
    expect((await sendLast(id, sha256Hex('ignored'))).status).toBe(201)
  })

  test('is null in the list of unfinished uploads, which can be cancelled or expire', async () => {
    const id = await open()
    const path = `/api/v1/private/games/${pipeline.game.uid}/upload/sessions`
    const { items } = await readData<{ items: unknown[] }>(await pipeline.owner.fetch(path))
    expect(items).toMatchObject([{ session_id: id, checksum: null, current_size: HALF }])
    expect((await pipeline.owner.fetch(`${path}/${id}`, { method: 'DELETE' })).status).toBe(200)
    expect(await readFailure(await sendLast(id, CHECKSUM))).toMatchObject({ status: 404, code: 4045 })

    const late = await open()
    const expiresAt = new Date(Date.now() - 1000)
    await server.deps.db.update(uploadSessions).set({ expiresAt }).where(eq(uploadSessions.uid, late))
    expect(await readFailure(await sendLast(late, CHECKSUM))).toMatchObject({ status: 404, code: 4045 })
    await reclaim(server.deps, new Date(), new AbortController().signal)
    expect(await server.deps.db.$count(uploadSessions, eq(uploadSessions.uid, late))).toBe(0)
    expect(await listObjects()).toEqual([])
  })
})
