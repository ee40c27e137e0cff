import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { eq, sql } from 'drizzle-orm'

import { channelMoves, fileEntries, scanEvents } from '../../src/db/schema/builds.ts'
import { AppError } from '../../src/errors.ts'
import { scanFile } from '../../src/features/builds/scans/jobs.ts'
import { sendMail } from '../../src/features/mail/jobs.ts'
import { deleteObjects } from '../../src/features/storage/jobs.ts'
import { type BuildRow, insertBuild } from '../helpers/builds.ts'
import { isClamdInstalled, startClamd } from '../helpers/engines/clamd.ts'
import { EICAR, makeZip } from '../helpers/files/zips.ts'
import { ageLocks } from '../helpers/jobs.ts'
import { insertPublicGame } from '../helpers/listings.ts'
import { readMails, waitForMail } from '../helpers/mails.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { startChild } from '../helpers/processes/child.ts'
import { findFile, queueScan, runScanNow, startJobs, storeFile, waitForScan } from '../helpers/scans.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../helpers/server.ts'
import { usePerson, useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const MB = 1024 ** 2
/** More by hand: SCAN_KILLS=20. */
const KILLS = Number(process.env.SCAN_KILLS ?? 4)
const CLEAN = makeZip([{ name: 'a.txt', data: 'hello' }])

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

async function newBuild(on: TestServer = server, person: Person = owner): Promise<BuildRow> {
  const game = await insertPublicGame(on, person)
  return await insertBuild(on, game.uid)
}

/** When the scan of the file is tried again; null when nobody will. */
async function findNextTry(fileUid: string): Promise<{ at: Date; waitingSince: string } | null> {
  const [row] = await server.deps.db.execute<{ run_at: string; since: string }>(sql`
    select run_at, payload ->> 'waitingSince' as since from graphile_worker._private_jobs
    where payload ->> 'fileUid' = ${fileUid}`)
  return row ? { at: new Date(row.run_at), waitingSince: row.since } : null
}

describe('workers that are killed at random moments', () => {
  test(`${KILLS} times: every file ends in one correct state`, async () => {
    const noise = Buffer.alloc(24 * MB)
    for (let at = 0; at < noise.length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536))
    const many = Array.from({ length: 5000 }, (_, index) => ({ name: `many/${index}`, data: `${index}` }))
    const large = { name: 'large.bin', data: noise, method: 0 }
    const cases = [
      { zip: makeZip([large, ...many]), state: 'clean', entries: 5001 },
      { zip: makeZip([...many, large, { name: 'last', data: EICAR }]), state: 'infected', entries: 0 },
      { zip: makeZip([large, { name: 'last', data: 'hello', crc: 1 }]), state: 'error', entries: 0 },
    ]
    const uploads: { uid: string; state: string; entries: number }[] = []

    for (let kill = 0; kill < KILLS; kill += 1) {
      for (const { zip, state, entries } of cases) {
        const { uid } = await queueScan(server, await newBuild(), zip, { filename: `${uploads.length}.zip` })
        uploads.push({ uid, state, entries })
      }
      const started = new Date()
      const worker = await startWorker()
      await waitFor('a scan has begun', () => isBusySince(started))
      await Bun.sleep(Math.random() * 500)
      worker.kill('SIGKILL')
      await worker.exited
    }
    await ageLocks(server)
    const last = await startWorker()
    try {
      for (const { uid } of uploads) await waitForScan(server, uid, 100_000)
      await waitFor('what follows is done', async () => (await listOpenJobs()).length === 0)
    } finally {
      last.kill('SIGTERM')
      await last.exited
    }

    const mails = await readMails(server)
    for (const [index, { uid, state, entries }] of uploads.entries()) {
      const file = await waitForScan(server, uid)
      expect(file.scan as string).toBe(state)
      const history = await server.deps.db.select().from(scanEvents).where(eq(scanEvents.fileUid, uid))
      expect(history.map((event) => event.state as string).sort()).toEqual([state, 'scanning'].sort())
      expect(await server.deps.db.$count(fileEntries, eq(fileEntries.fileUid, uid))).toBe(entries)
      expect((await server.deps.objects.head(file.objectKey)) !== null).toBe(state === 'clean')
      const moves = await server.deps.db.$count(channelMoves, eq(channelMoves.gameUid, file.gameUid))
      expect(moves).toBe(state === 'clean' ? 1 : 0)
      const told = mails.filter(({ subject }) => subject.split(' ').includes(`${index}.zip`))
      expect(told).toHaveLength(state === 'clean' ? 0 : 1)
    }
  }, 600_000)

  function startWorker() {
    return startChild({
      env: {
        ROLE: 'worker',
        DATABASE_URL: server.databaseUrl,
        DATA_DIR: server.dataDir,
        SECRET_KEY: TEST_SECRET_KEY,
      },
    })
  }

  /** Scans, mails and deletions; what runs by the clock is none of our business. */
  async function listOpenJobs(): Promise<string[]> {
    const names = new Set([scanFile, sendMail, deleteObjects].map(({ name }) => name))
    const rows = await server.deps.db.execute<{ task: string }>(
      sql`select task_identifier as task from graphile_worker.jobs where attempts < max_attempts`,
    )
    return rows.map(({ task }) => task).filter((task) => names.has(task))
  }

  /** Jobs of the dead stay locked for some seconds, so only newer locks count. */
  async function isBusySince(started: Date): Promise<boolean> {
    const rows = await server.deps.db.execute(
      sql`select 1 from graphile_worker._private_jobs where locked_at > ${started.toISOString()}::timestamptz`,
    )
    return rows.length > 0
  }
})

describe.skipIf(!isClamdInstalled() && process.env.REQUIRE_ENGINES !== '1')('a clamd that is gone', () => {
  test('delays files: once it is back they become clean without a hand', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'scans-faults-'))
    const first = await startClamd(dir)
    await first.stop()
    const waiting = await startTestServer({ TRUST_PROXY: '1', SCANNER_URL: first.url })
    const runner = await startJobs(waiting)
    try {
      const build = await newBuild(waiting, await signUp(waiting))
      const files = await Promise.all(
        ['a', 'b', 'c'].map((name) => queueScan(waiting, build, CLEAN, { filename: `${name}.zip` })),
      )
      const damaged = await queueScan(waiting, build, Buffer.from('no zip'), { filename: 'd.zip' })
      expect(await waitForScan(waiting, damaged.uid)).toMatchObject({ scan: 'error', scanEngine: null })
      for (const { uid } of files) expect(await findFile(waiting, uid)).toMatchObject({ scan: 'scanning' })

      const second = await startClamd(dir, { port: first.port })
      for (const { uid } of files) expect(await waitForScan(waiting, uid)).toMatchObject({ scan: 'clean' })
      await second.stop()
    } finally {
      await runner.stop()
      await waiting.stop()
      await rm(dir, { recursive: true, force: true })
    }
  })
})

describe('an object store that does not answer', () => {
  const dead = {
    head: () => Promise.reject(new AppError('service_down')),
    get: () => Promise.reject(new AppError('service_down')),
  }
  const scanWithoutStore = (fileUid: string, waitingSince?: string) =>
    runScanNow(server, fileUid, {
      deps: { objects: { ...server.deps.objects, ...dead } },
      ...(waitingSince === undefined ? {} : { waitingSince }),
    })

  test('delays the scan a little, then up to five minutes', async () => {
    const { uid } = await storeFile(server, await newBuild(), CLEAN)
    await scanWithoutStore(uid)
    const first = await findNextTry(uid)
    expect(first?.at.getTime()).toBeLessThan(Date.now() + 2000)
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
    await scanWithoutStore(uid, hourAgo)
    const later = await findNextTry(uid)
    expect(later?.waitingSince).toBe(hourAgo)
    expect(later?.at.getTime()).toBeGreaterThan(Date.now() + 4 * 60_000)
    expect(later?.at.getTime()).toBeLessThan(Date.now() + 6 * 60_000)
    expect(await findFile(server, uid)).toMatchObject({ scan: 'scanning' })
    await runScanNow(server, uid)
    expect(await findFile(server, uid)).toMatchObject({ scan: 'clean' })
  })

  test('fails the file after a day, and the owner is told', async () => {
    const runner = await startJobs(server)
    const { uid } = await storeFile(server, await newBuild(), CLEAN, { filename: 'patient.zip' })
    await scanWithoutStore(uid, new Date(Date.now() - 25 * 3_600_000).toISOString())
    const scanDetail = 'The stored file could not be reached for a day. Upload the file again.'
    expect(await findFile(server, uid)).toMatchObject({ scan: 'error', scanDetail })
    const mail = await waitForMail(server, owner.email, 'Scan: patient.zip was rejected')
    expect(mail.text).toContain(scanDetail)
    await runner.stop()
  })

  test('a missing object is waited for too, and bytes that are missing are not', async () => {
    const gone = await storeFile(server, await newBuild(), CLEAN)
    await server.deps.objects.delete(gone.objectKey)
    await runScanNow(server, gone.uid)
    expect(await findFile(server, gone.uid)).toMatchObject({ scan: 'scanning' })
    expect(await findNextTry(gone.uid)).not.toBeNull()
    const short = await storeFile(server, await newBuild(), CLEAN, { size: CLEAN.length + 1 })
    await runScanNow(server, short.uid)
    expect(await findFile(server, short.uid)).toMatchObject({
      scan: 'error',
      scanDetail: `${CLEAN.length} bytes are stored, but ${CLEAN.length + 1} were uploaded.`,
    })
  })
})
