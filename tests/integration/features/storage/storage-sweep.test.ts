import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { runSweep } from '../../../../src/commands/objects.ts'
import { noteRestore } from '../../../../src/features/storage/backup-notes.ts'
import { reclaimStorage } from '../../../../src/features/storage/jobs.ts'
import { reclaim } from '../../../../src/features/storage/reclaim.ts'
import { insertFile } from '../../../helpers/builds.ts'
import { readData } from '../../../helpers/json.ts'
import { type LoggedServer, startLoggedServer } from '../../../helpers/processes/logged-server.ts'
import { describeWithStorage, type OwnStorage } from '../../../helpers/uploads/own-storage.ts'
import { createPipeline, type Pipeline } from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const HOUR_MS = 60 * 60 * 1000
const BYTES = new Uint8Array(1000)
const { signal } = new AbortController()

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
    for (const key of keys) await storage.objects.put(key, BYTES)
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
    await storage.objects.put(named.objectKey, BYTES)
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
