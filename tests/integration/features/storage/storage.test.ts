import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { symbols } from '../../../../src/db/schema/builds.ts'
import { uploadSessions } from '../../../../src/db/schema/uploads.ts'
import { deleteObjects } from '../../../../src/features/storage/jobs.ts'
import { reclaim, type Reclaimed } from '../../../../src/features/storage/reclaim.ts'
import { insertFile } from '../../../helpers/builds.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { useStore } from '../../../helpers/store.ts'
import { describeEachStorage } from '../../../helpers/uploads/upload-storages.ts'
import {
  createPipeline,
  makeBytes,
  openSession,
  type Pipeline,
  sendChunk,
  startChunk,
} from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const HOUR_MS = 60 * 60 * 1000
const BYTES = makeBytes(5000)
const { signal } = new AbortController()

describeEachStorage('reclaiming storage', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ...env() }))
  let pipeline: Pipeline
  beforeAll(async () => {
    pipeline = await createPipeline(server)
  })

  /** What the hourly job would do so many hours from now. */
  const reclaimIn = async (hours: number): Promise<Reclaimed> =>
    await reclaim(server.deps, new Date(Date.now() + hours * HOUR_MS), signal)
  const keys = async () => (await Array.fromAsync(server.deps.objects.list(''))).map(({ key }) => key)
  const findSession = async (uid: string) => {
    const [row] = await server.deps.db.select().from(uploadSessions).where(eq(uploadSessions.uid, uid))
    return row
  }

  test('ends sessions when their six hours are over, with all they stored', async () => {
    const { session_id } = await openSession(server, pipeline, BYTES)
    await sendChunk(server, pipeline.key, session_id, BYTES, [0, 1000])
    expect(await reclaimIn(5)).toEqual({ sessions: 0, uploads: 0, objects: 0 })
    const upload = (await findSession(session_id))?.uploadId ?? ''
    expect(await reclaimIn(7)).toEqual({ sessions: 1, uploads: 0, objects: 0 })
    expect(await findSession(session_id)).toBeUndefined()
    expect(server.deps.objects.uploadSize(upload)).rejects.toThrow()
  })

  test('leaves the file of a session that was completed', async () => {
    const { session_id } = await openSession(server, pipeline, BYTES)
    await sendChunk(server, pipeline.key, session_id, BYTES, [0, BYTES.length])
    expect(await reclaimIn(48)).toMatchObject({ sessions: 1, objects: 0 })
    expect(await keys()).toEqual([`builds/${pipeline.game.uid}/${session_id}.zip`])
  })

  test('frees what was completed but never recorded', async () => {
    const { session_id } = await openSession(server, pipeline, BYTES)
    const session = await findSession(session_id)
    await server.deps.objects.completeUpload(session?.uploadId ?? '')
    const before = await keys()
    expect(await reclaimIn(7)).toMatchObject({ sessions: 1 })
    expect(before).toContain(session?.objectKey ?? '')
    expect(await keys()).not.toContain(session?.objectKey ?? '')
  })

  test('waits for a chunk that is still being written', async () => {
    const { session_id } = await openSession(server, pipeline, BYTES)
    const chunk = startChunk(server, pipeline.key, session_id, [0, BYTES.length, BYTES.length])
    chunk.push(BYTES.subarray(0, 1000))
    await waitFor('it is being written', async () => (await findSession(session_id))?.writer !== null)
    expect(await reclaimIn(7)).toMatchObject({ sessions: 0 })
    chunk.push(BYTES.subarray(1000))
    chunk.close()
    expect((await chunk.answer).status).toBe(201)
  })

  test('ends uploads that no row knows after a day', async () => {
    const upload = await server.deps.objects.openUpload('builds/forgotten.zip')
    await server.deps.objects.append(upload, BYTES)
    expect(await reclaimIn(23)).toMatchObject({ uploads: 0 })
    expect(await reclaimIn(25)).toMatchObject({ uploads: 1 })
    expect(server.deps.objects.uploadSize(upload)).rejects.toThrow()
  })

  test('deletes objects that no row names after a day, and no others', async () => {
    const { objects, db } = server.deps
    const { uid: gameUid } = pipeline.game
    const { objectKey } = await insertFile(server, pipeline.build)
    const symbolKey = `symbols/${gameUid}/${crypto.randomUUID()}.sym`
    const facts = { module: 'game', debugId: 'A1', filename: 'game.sym', size: 5000, objectKey: symbolKey }
    await db.insert(symbols).values({ gameUid, buildUid: pipeline.build.uid, ...facts })
    const kept = [objectKey, symbolKey, 'elsewhere/picture.webp']
    const orphans = ['builds', 'symbols', 'images'].map((kind) => `${kind}/${crypto.randomUUID()}`)
    for (const key of [...kept, ...orphans]) await objects.put(key, BYTES)
    expect(await reclaimIn(23)).toMatchObject({ objects: 0 })
    expect(await reclaimIn(25)).toMatchObject({ objects: 3 })
    const left = await keys()
    expect(left).toEqual(expect.arrayContaining(kept))
    expect(left.filter((key) => orphans.includes(key))).toEqual([])
  })
})

describe('the job that deletes objects', () => {
  test('may be repeated, and misses nothing that is gone already', async () => {
    const server = await startTestServer()
    try {
      const { deps } = server
      const key = `builds/${crypto.randomUUID()}.zip`
      await deps.objects.put(key, BYTES)
      for (const attempt of [1, 2]) {
        await deleteObjects.run?.(
          deps,
          { keys: [key, 'builds/never.zip'] },
          { attempt, signal, log: deps.log, countIncident: () => undefined },
        )
        expect(await deps.objects.head(key)).toBeNull()
      }
    } finally {
      await server.stop()
    }
  })
})
