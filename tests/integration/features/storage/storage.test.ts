import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { runSweep } from '../../../../src/commands/objects.ts'
import { sessions } from '../../../../src/db/schema/accounts.ts'
import { symbols } from '../../../../src/db/schema/builds.ts'
import { oauthClients } from '../../../../src/db/schema/oauth.ts'
import { uploadSessions } from '../../../../src/db/schema/uploads.ts'
import { sweepCredentials } from '../../../../src/features/accounts/jobs.ts'
import { noteRestore } from '../../../../src/features/storage/backup-notes.ts'
import { deleteObjects, reclaimStorage } from '../../../../src/features/storage/jobs.ts'
import { reclaim, type Reclaimed } from '../../../../src/features/storage/reclaim.ts'
import { enqueue } from '../../../../src/jobs/queue.ts'
import { insertFile } from '../../../helpers/builds.ts'
import { readData } from '../../../helpers/json.ts'
import { signUp } from '../../../helpers/people.ts'
import { type LoggedServer, startLoggedServer } from '../../../helpers/processes/logged-server.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { obtainToken, registerClient } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'
import { describeWithStorage, type OwnStorage } from '../../../helpers/uploads/own-storage.ts'
import {
  createPipeline,
  describeEachStorage,
  makeBytes,
  openSession,
  type Pipeline,
  sendChunk,
  startChunk,
} from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const HOUR_MS = 60 * 60 * 1000
const { signal } = new AbortController()
const BYTES = makeBytes(5000)
const SMALL = new Uint8Array(1000)

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

describeWithStorage('a sweep', (createStorage) => {
  let storage: OwnStorage
  let server: LoggedServer
  let pipeline: Pipeline
  beforeAll(async () => {
    storage = await createStorage()
    server = await startLoggedServer({ TRUST_PROXY: '1', METRICS_PORT: '0', ...storage.env })
    pipeline = await createPipeline(server)
  })
  afterAll(async () => {
    await server.stop()
    await storage[Symbol.asyncDispose]()
  })

  const tomorrow = () => new Date(Date.now() + 25 * HOUR_MS)
  const options = () => ({ now: tomorrow(), print: () => undefined })
  const sweep = () => reclaim(server.deps, tomorrow(), signal)

  async function putOrphans(count: number, prefix = `builds/${pipeline.game.uid}/`): Promise<string[]> {
    const keys = Array.from({ length: count }, () => `${prefix}${crypto.randomUUID()}.zip`)
    for (const key of keys) await storage.objects.put(key, SMALL)
    return keys
  }

  /** Readiness and metrics are cached for some seconds. */
  async function waitForStatus(wanted: string, metric: 0 | 1): Promise<void> {
    await waitFor(`the server is ${wanted}`, async () => {
      const { status } = await readData<{ status: string }>(await server.fetch('/ready'))
      const metrics = await (await fetch(server.metricsUrl)).text()
      return status === wanted && metrics.includes(`playshelf_service_up{service="clean-up"} ${metric}`)
    })
  }

  test('removes a few objects without asking', async () => {
    const orphans = await putOrphans(25)
    expect(await sweep()).toMatchObject({ objects: 25 })
    expect(await storage.keys()).not.toContain(orphans[0])
  })

  test('waits for a week after a restore: a newer database may name the objects', async () => {
    const [orphan = ''] = await putOrphans(1)
    await noteRestore(server.dataDir, tomorrow())
    expect(await sweep()).toEqual({ sessions: 0, uploads: 0, objects: 0 })
    expect(await runSweep(server.deps, false, options())).toContain('This database was restored on')
    expect(await storage.keys()).toContain(orphan)
    const later = new Date(Date.now() + 9 * 24 * HOUR_MS)
    expect(await reclaim(server.deps, later, signal)).toMatchObject({ objects: 1 })
    await rm(join(server.dataDir, 'restored-at'))
  })

  test('that would remove a large share removes nothing until the operator confirms', async () => {
    const named = await insertFile(server, pipeline.build)
    await storage.objects.put(named.objectKey, SMALL)
    const orphans = [...(await putOrphans(26)), ...(await putOrphans(3, 'images/'))]
    const upload = await storage.objects.openUpload('builds/forgotten.zip')
    const before = await storage.keys()

    expect(await sweep()).toEqual({ sessions: 0, uploads: 0, objects: 0 })
    expect(await storage.keys()).toEqual(before)
    expect(await storage.objects.uploadSize(upload)).toBe(0)
    expect(server.lines.map(({ message }) => message).join()).toContain('playshelf sweep --confirm')
    await waitForStatus('degraded', 0)

    const listing = await runSweep(server.deps, false, options())
    expect(listing).toContain('builds: no row refers to 26 of 27 objects (25.4 KB)')
    expect(listing).toContain('symbols: all 0 objects are in use')
    expect(listing).toContain('images: no row refers to 3 of 3 objects (2.9 KB)')
    expect(orphans.filter((key) => listing.includes(key))).toHaveLength(8)
    expect(await storage.keys()).toEqual(before)

    expect(await runSweep(server.deps, true, options())).toBe('Removed 29 objects.')
    expect(await storage.keys()).toEqual([named.objectKey])
    await waitForStatus('ready', 1)
    expect(await runSweep(server.deps, true, options())).toContain('Nothing to remove.')
  })

  test('in a store of another installation removes nothing and logs an error', async () => {
    const id = await storage.objects.readOwner()
    await putOrphans(3)
    const before = await storage.keys()
    await storage.objects.writeOwner(crypto.randomUUID(), { replace: true })
    await reclaimStorage.run?.(
      server.deps,
      {},
      { attempt: 1, signal, log: server.deps.log, countIncident: () => undefined },
    )
    expect(sweep()).rejects.toThrow('belongs to the installation')
    expect(runSweep(server.deps, true, options())).rejects.toThrow('belongs to the installation')
    expect(server.lines.map(({ message }) => message).join('\n')).toContain(
      'Nothing was swept. The object store belongs to',
    )
    expect(await storage.keys()).toEqual(before)
    await storage.objects.writeOwner(id ?? '', { replace: true })
    expect(await sweep()).toMatchObject({ objects: 3 })
  })
})

describe('the hourly sweep', () => {
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

  test('forgets what is over and keeps what is used', async () => {
    const { db } = server.deps
    const longAgo = new Date('2020-01-01')
    const [gone, kept] = [await signUp(server), await signUp(server)]
    await db.update(sessions).set({ expiresAt: longAgo }).where(eq(sessions.userId, gone.uid))
    await obtainToken(server, kept, 'player:read')
    const unused = await registerClient(server)
    await db.update(oauthClients).set({ createdAt: longAgo })
    const fresh = await registerClient(server)

    await enqueue(db, sweepCredentials, {})
    const clients = await waitFor('the unused program is forgotten', async () => {
      const ids = (await db.select({ id: oauthClients.clientId }).from(oauthClients)).map((row) => row.id)
      return !ids.includes(unused) && ids
    })
    expect(clients).toContain(fresh)
    expect(clients).toHaveLength(2)
    expect(await db.select().from(sessions).where(eq(sessions.userId, gone.uid))).toEqual([])
    expect((await kept.fetch('/api/v1/private/me')).status).toBe(200)
  })
})
