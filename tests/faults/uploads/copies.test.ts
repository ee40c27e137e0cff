import { afterAll, beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../src/db/schema/builds.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { makeBytes } from '../../contract/object-store-bytes.ts'
import { readFailure } from '../../helpers/json.ts'
import { type ChildServer, startChild } from '../../helpers/processes/child.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../../helpers/server.ts'
import { postCopy, storeBase } from '../../helpers/uploads/upload-copies.ts'
import {
  createPipeline,
  describeEachStorage,
  openSession,
  type Pipeline,
  readCurrentSize,
  sendChunk,
} from '../../helpers/uploads/uploads.ts'

const MIB = 1024 * 1024
const BASE = makeBytes(64 * MIB)
/** Changed bytes in the middle, so that copies and chunks alternate. */
const CHANGED = [30 * MIB + 1, 31 * MIB + 5] as const
const KILLS = 3

describeEachStorage(`a copy whose server is killed ${KILLS} times`, (env) => {
  let server: TestServer
  let pipeline: Pipeline
  let child: ChildServer
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1', ...env() })
    pipeline = await createPipeline(server)
    child = await startProcess()
  })
  afterAll(async () => {
    child.kill('SIGTERM')
    await child.exited
    await server.stop()
  })

  const startProcess = async () =>
    await startChild({
      env: {
        ROLE: 'upload',
        DATABASE_URL: server.databaseUrl,
        DATA_DIR: server.dataDir,
        SECRET_KEY: TEST_SECRET_KEY,
        LOG_LEVEL: 'info',
        ...env(),
      },
    })

  async function killIn(ms: number): Promise<void> {
    await Bun.sleep(ms)
    child.kill('SIGKILL')
    await child.exited
    child = await startProcess()
  }

  test('goes on where the store stands, and ends with the bytes of a full upload', async () => {
    const bytes = Buffer.from(BASE)
    bytes.set(makeBytes(CHANGED[1] - CHANGED[0] + 99).subarray(99), CHANGED[0])
    const base = await storeBase(server, pipeline, BASE)
    const { session_id: id } = await openSession(server, pipeline, bytes, { base_file_uid: base.uid })
    const asked = {
      fetch: (path: string, init?: RequestInit) => fetch(child.url + path, { ...init, keepalive: false }),
    }

    /** Chunks for what changed, copies for everything else. */
    async function goOn(size: number): Promise<Response> {
      if (size >= CHANGED[0] && size < CHANGED[1])
        return await sendChunk(asked, pipeline.key, id, bytes, [size, CHANGED[1]])
      const end = size < CHANGED[0] ? CHANGED[0] : bytes.length
      const at = Math.min(size, bytes.length - 1)
      return await postCopy(asked, pipeline.key, id, [{ at, from: at, length: end - at }])
    }

    let kills = 0
    for (let isDone = false; !isDone;) {
      const size = await readCurrentSize(server, pipeline.key, id)
      const killing = kills < KILLS ? killIn(Math.random() * 150) : null
      kills += 1
      const answer = await goOn(size).catch(() => null)
      await killing
      isDone = answer?.status === 201
      if (answer && answer.status > 202) expect(await readFailure(answer)).toMatchObject({ status: 409 })
    }
    expect(kills).toBeGreaterThanOrEqual(KILLS)

    const { db, objects } = server.deps
    const rows = await db.select().from(files).where(eq(files.gameUid, pipeline.game.uid))
    const made = rows.find(({ uid }) => uid !== base.uid)
    expect(rows).toHaveLength(2)
    expect(made).toMatchObject({ size: bytes.length, checksum: sha256Hex(bytes), scan: 'scanning' })
    const { stream } = await objects.get(made?.objectKey ?? '')
    expect(sha256Hex(await Bun.readableStreamToBytes(stream))).toBe(sha256Hex(bytes))
  })
})
