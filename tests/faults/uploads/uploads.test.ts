import { afterAll, beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { files } from '../../../src/db/schema/builds.ts'
import { reclaim } from '../../../src/features/storage/reclaim.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { makeBytes } from '../../contract/object-store-bytes.ts'
import { readFailure } from '../../helpers/json.ts'
import { type ChildServer, startChild } from '../../helpers/processes/child.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../../helpers/server.ts'
import {
  createPipeline,
  describeEachStorage,
  openSession,
  type Pipeline,
  readCurrentSize,
  sendChunk,
} from '../../helpers/uploads/uploads.ts'

const MIB = 1024 * 1024
const TOTAL = Number(process.env['TORTURE_BYTES'] ?? 48 * MIB)
const KILLS = Number(process.env['TORTURE_KILLS'] ?? 6)
/** Odd, so that chunks and the parts of an object store never end together. */
const CHUNK = Math.min(16 * MIB, Math.ceil(TOTAL / 12)) + 1
const DAY_MS = 25 * 60 * 60 * 1000

type Asked = Pick<TestServer, 'fetch'>

describeEachStorage(`an upload whose server is killed ${KILLS} times`, (env) => {
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

  /** The same database and storage in a process that can be killed. */
  async function startProcess(): Promise<ChildServer> {
    return await startChild({
      env: {
        ROLE: 'upload',
        DATABASE_URL: server.databaseUrl,
        DATA_DIR: server.dataDir,
        SECRET_KEY: TEST_SECRET_KEY,
        LOG_LEVEL: 'info',
        ...env(),
      },
    })
  }
  const asked = (): Asked => ({
    fetch: (path, init) => fetch(child.url + path, { ...init, keepalive: false }),
  })

  async function killIn(ms: number): Promise<void> {
    await Bun.sleep(ms)
    child.kill('SIGKILL')
    await child.exited
    child = await startProcess()
  }

  /** Whatever the server said or failed to say: the client looks where it is, and goes on there. */
  async function uploadTortured(id: string, bytes: Uint8Array): Promise<number> {
    let kills = 0
    let chunkMs = 50
    for (;;) {
      const size = await readCurrentSize(server, pipeline.key, id)
      // The upload is on its way from one process to the other all the time.
      const target = Math.random() < 0.25 ? server : asked()
      const start = Math.min(size, TOTAL - 1)
      const end = Math.min(size + CHUNK, TOTAL)
      // The last kill is kept for the chunk that completes the upload.
      const isDue = kills < KILLS && (size / TOTAL >= kills / (KILLS - 1) || end === TOTAL)
      const killing = isDue ? killIn(Math.random() * chunkMs * 1.5) : null
      if (isDue) kills += 1
      const started = performance.now()
      const answer = await sendChunk(isDue ? asked() : target, pipeline.key, id, bytes, [start, end]).catch(
        () => null,
      )
      if (!isDue) chunkMs = performance.now() - started
      await killing
      if (answer?.status === 201) return kills
      if (answer && answer.status !== 202) expect(await readFailure(answer)).toMatchObject({ status: 409 })
    }
  }

  test('arrives exactly once, with the right bytes, and leaves nothing else behind', async () => {
    const bytes = makeBytes(TOTAL)
    const { session_id } = await openSession(server, pipeline, bytes)
    const kills = await uploadTortured(session_id, bytes)
    expect(kills).toBe(KILLS)

    const { db, objects } = server.deps
    const rows = await db.select().from(files).where(eq(files.gameUid, pipeline.game.uid))
    expect(rows).toMatchObject([{ size: TOTAL, checksum: sha256Hex(bytes), scan: 'scanning' }])
    const hasher = new Bun.CryptoHasher('sha256')
    for await (const part of (await objects.get(rows[0]?.objectKey ?? '')).stream) hasher.update(part)
    expect(hasher.digest('hex')).toBe(sha256Hex(bytes))

    const later = new Date(Date.now() + DAY_MS)
    const { signal } = new AbortController()
    // A kill may leave a file under way in the store, which is swept like a forgotten upload.
    expect(await reclaim(server.deps, later, signal)).toMatchObject({ sessions: 1, objects: 0 })
    expect(await reclaim(server.deps, later, signal)).toEqual({ sessions: 0, uploads: 0, objects: 0 })
    const left = await Array.fromAsync(objects.list('builds/'))
    expect(left.map(({ key }) => key)).toEqual([rows[0]?.objectKey ?? ''])
  }, 3_600_000)
})
