import { eq } from 'drizzle-orm'

import { files, scanEvents } from '../../src/db/schema/builds.ts'
import type { Deps } from '../../src/deps.ts'
import { queueScan as queueScanOf } from '../../src/features/builds/scans/jobs.ts'
import { runScan } from '../../src/features/builds/scans/run.ts'
import type { JobContext } from '../../src/jobs/define.ts'
import { type JobRunner, startRunner } from '../../src/jobs/runner.ts'
import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { createUid } from '../../src/lib/ids.ts'
import { loadHandlers } from '../../src/worker/registry.ts'
import { type BuildRow, type FileRow, insertFile } from './builds.ts'
import type { TestServer } from './server.ts'
import { waitFor } from './wait.ts'

/** Runs all jobs of the program in the test process. */
export async function startJobs(server: TestServer): Promise<JobRunner> {
  return await startRunner(server.deps, { databaseUrl: server.databaseUrl, handlers: loadHandlers() })
}

/** Creates a file in the state after its upload: stored, `scanning`, its scan queued. */
export async function queueScan(
  server: TestServer,
  build: BuildRow,
  zip: Uint8Array,
  values: Partial<typeof files.$inferInsert> = {},
): Promise<FileRow> {
  const file = await storeFile(server, build, zip, values)
  await server.deps.db.transaction((tx) => queueScanOf(tx, file))
  return file
}

/** The same without the job. */
export async function storeFile(
  { deps, ...server }: TestServer,
  build: BuildRow,
  zip: Uint8Array,
  values: Partial<typeof files.$inferInsert> = {},
): Promise<FileRow> {
  const uid = createUid()
  const objectKey = `builds/${build.gameUid}/${uid}.zip`
  await deps.objects.put(objectKey, zip)
  const file = await insertFile({ deps, ...server }, build, {
    uid,
    objectKey,
    size: zip.length,
    checksum: sha256Hex(zip),
    scan: 'scanning',
    ...values,
  })
  await deps.db.insert(scanEvents).values({ fileUid: uid, state: 'scanning' })
  return file
}

export async function findFile(server: TestServer, uid: string): Promise<FileRow | undefined> {
  const [row] = await server.deps.db.select().from(files).where(eq(files.uid, uid))
  return row
}

export async function waitForScan(server: TestServer, uid: string, timeoutMs?: number): Promise<FileRow> {
  const isDone = async () => {
    const file = await findFile(server, uid)
    if (!file) throw new Error('The file is gone')
    return file.scan !== 'scanning' && file
  }
  return await waitFor('the scan', isDone, timeoutMs)
}

/** Queues a zip and waits for the result of its scan. */
export async function scanZip(
  server: TestServer,
  build: BuildRow,
  zip: Uint8Array,
  values: Partial<typeof files.$inferInsert> = {},
): Promise<FileRow> {
  const { uid } = await queueScan(server, build, zip, values)
  return await waitForScan(server, uid)
}

export interface RunOptions {
  attempt?: number
  waitingSince?: string
  /** Replacements that fail in ways real services do not on demand. */
  deps?: Partial<Deps>
  isRepeat?: boolean
  countIncident?: JobContext['countIncident']
}

/** Runs the job directly, without the queue. */
export async function runScanNow(
  { deps }: TestServer,
  fileUid: string,
  options: RunOptions = {},
): Promise<void> {
  const { attempt = 1, waitingSince, isRepeat = false, countIncident = () => undefined } = options
  await runScan(
    { ...deps, ...options.deps },
    { fileUid, ownerUid: createUid(), isRepeat, ...(waitingSince === undefined ? {} : { waitingSince }) },
    { attempt, signal: new AbortController().signal, log: deps.log, countIncident },
  )
}
