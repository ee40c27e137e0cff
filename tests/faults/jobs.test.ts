import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { LOCKS } from '../../src/db/locks/locks.ts'
import { handleJob } from '../../src/jobs/define.ts'
import { enqueue, loadQueueState } from '../../src/jobs/queue.ts'
import { startRunner as startJobs } from '../../src/jobs/runner.ts'
import { createLogger } from '../../src/lib/log.ts'
import { ageLocks, sleepyJob } from '../helpers/jobs.ts'
import { behind, startTcpProxy } from '../helpers/processes/tcp-proxy.ts'
import { useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const server = useStore()

function startRunner(databaseUrl = server.deps.config.databaseUrl) {
  const script = join(import.meta.dir, '../helpers/processes/job-child.ts')
  return Bun.spawn(['bun', script, JSON.stringify({ ...server.deps.config, databaseUrl })], {
    stdout: 'inherit',
    stderr: 'inherit',
  })
}

const read = (file: string) => readFile(file, 'utf8').catch(() => '')

async function countJobs(): Promise<number> {
  const rows = await server.deps.db.execute(
    "select 1 from graphile_worker.jobs where task_identifier = 'test.sleepy'",
  )
  return rows.length
}

/** Of those that hold jobs: a runner tells others that it lives just after its first job began. */
async function countLivingRunners(): Promise<number> {
  const rows = await server.deps.db.execute(sql`
    select 1 from graphile_worker.jobs join pg_locks on objid = hashtext(locked_by)::oid
    where locktype = 'advisory' and classid = ${LOCKS.jobRunner} and granted`)
  return rows.length
}

describe('a worker that dies', () => {
  test('by SIGKILL in the middle of a job loses nothing: the job runs again elsewhere', async () => {
    const file = join(server.dataDir, 'killed.log')
    await enqueue(server.deps.db, sleepyJob, { file, sleepMs: 600_000 })
    const first = startRunner()
    await waitFor('the job started', async () => (await read(file)).includes('start 1'))
    first.kill('SIGKILL')
    await first.exited

    const second = startRunner()
    try {
      await waitFor('the job ran again', async () => (await read(file)).includes('done 2'))
      expect(await read(file)).toBe('start 1\nstart 2\ndone 2\n')
      await waitFor('the queue is empty', async () => (await loadQueueState(server.deps.db)).queued === 0)
    } finally {
      second.kill('SIGTERM')
      await second.exited
    }
  })

  test('while its job was replaced by a newer one leaves no dead job behind', async () => {
    const file = join(server.dataDir, 'replaced.log')
    const key = 'replaced'
    await enqueue(server.deps.db, sleepyJob, { file, sleepMs: 600_000 }, { key })
    const { first } = await server.deps.db.transaction(async (tx) => {
      // Begins before the job is locked, as a long transaction may.
      await tx.execute('select 1')
      const runner = startRunner()
      await waitFor('the job started', async () => (await read(file)).includes('start 1'))
      const later = { key, runAt: new Date(Date.now() + 2000) }
      await enqueue(tx, sleepyJob, { file, sleepMs: 0 }, later)
      return { first: runner }
    })
    first.kill('SIGKILL')
    await first.exited
    await ageLocks(server)
    const second = startRunner()
    try {
      await waitFor('the newer one is done', async () => (await read(file)).includes('done 1'))
      await waitFor('nothing is locked', async () => (await countJobs()) === 0)
      expect((await loadQueueState(server.deps.db)).dead).toEqual([])
    } finally {
      second.kill('SIGTERM')
      await second.exited
    }
  })

  test('leaves the jobs of a living worker alone', async () => {
    const file = join(server.dataDir, 'alive.log')
    await enqueue(server.deps.db, sleepyJob, { file, sleepMs: 5000 })
    const [one, two] = [startRunner(), startRunner()]
    try {
      await waitFor('the job started', async () => (await read(file)).includes('start 1'))
      await waitFor('its worker is known to live', async () => (await countLivingRunners()) > 0)
      await ageLocks(server)
      await waitFor('the job is done', async () => (await read(file)).includes('done'))
      expect(await read(file)).toBe('start 1\ndone 1\n')
    } finally {
      for (const child of [one, two]) child.kill('SIGTERM')
      await Promise.all([one.exited, two.exited])
    }
  })
})

test('a worker survives that the database goes away while a job ends, and runs the job again', async () => {
  const { hostname, port } = new URL(server.databaseUrl)
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) })
  const file = join(server.dataDir, 'outage.log')
  await enqueue(server.deps.db, sleepyJob, { file, sleepMs: 3000 })
  const child = startRunner(behind(server.databaseUrl, proxy))
  try {
    await waitFor('the job started', async () => (await read(file)).includes('start 1'))
    proxy.cut()
    await waitFor('the job ended', async () => (await read(file)).includes('done 1'))
    await Bun.sleep(3000)
    await proxy.restore()
    await waitFor('the job ran again', async () => (await read(file)).includes('done 2'))
    await waitFor('the queue is empty', async () => (await loadQueueState(server.deps.db)).queued === 0)
    expect(child.exitCode).toBeNull()
  } finally {
    child.kill('SIGTERM')
    await child.exited
  }
})

test('a worker that stops survives that the database ends its connections first', async () => {
  const { hostname, port } = new URL(server.databaseUrl)
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) })
  const url = new URL(behind(server.databaseUrl, proxy))
  url.searchParams.set('application_name', 'stopping')
  const lines: string[] = []
  const log = createLogger({ level: 'error', pretty: false, write: (line) => void lines.push(line) })
  const handlers = [handleJob(sleepyJob, async () => undefined)]
  const runner = await startJobs({ ...server.deps, log }, { databaseUrl: url.href, handlers })
  proxy.muteWhen(isGoodbye)
  await runner.stop()
  await server.deps.db.execute(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stopping'",
  )
  await waitFor('the loss is logged', () =>
    lines.some((line) => line.includes('The job queue lost a connection')),
  )
})

/** The last message of a client of Postgres. */
const isGoodbye = (bytes: Buffer) => bytes.equals(Buffer.from([0x58, 0, 0, 0, 4]))
