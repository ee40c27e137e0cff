import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { type BoundHandler, checkHandlers, defineJob, handleJob } from '../../../src/jobs/define.ts'
import { enqueue, loadQueueState } from '../../../src/jobs/queue.ts'
import { type JobOutcome, type JobRunner, startRunner } from '../../../src/jobs/runner.ts'
import { loadHandlers } from '../../../src/worker/registry.ts'
import { failingJob, flakyJob } from '../../helpers/jobs.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { waitFor } from '../../helpers/wait.ts'

let server: TestServer
let runner: JobRunner
const outcomes: JobOutcome[] = []
const attempts = new Map<string, number[]>()
const longJob = defineJob<{ id: string }>('test.long', { lane: 'long' })
const longEnd = Promise.withResolvers<void>()
const longStarted: string[] = []
const replacedJob = defineJob<{ id: string }>('test.replaced')
const replacedEnd = Promise.withResolvers<void>()
const replacedStarted: string[] = []
const cronJob = defineJob('test.cron', { cron: '0 0 1 1 *' })

beforeAll(async () => {
  server = await startTestServer()
  runner = await startRunner(server.deps, {
    databaseUrl: server.databaseUrl,
    slots: { short: 2, long: 2 },
    onFinished: (outcome) => outcomes.push(outcome),
    handlers: [
      handleJob(flakyJob, async (_, { id }, { attempt }) => {
        attempts.set(id, [...(attempts.get(id) ?? []), attempt])
        if (id.startsWith('twice') && attempt === 1) throw new Error('not yet')
      }),
      handleJob(failingJob, async (_, { reason }) => {
        throw new Error(reason)
      }),
      handleJob(replacedJob, async (_, { id }) => {
        replacedStarted.push(id)
        if (id === 'older') await replacedEnd.promise
      }),
      handleJob(cronJob, async () => undefined),
      handleJob(longJob, async (_, { id }) => {
        longStarted.push(id)
        await longEnd.promise
      }),
    ],
  })
})
afterAll(async () => {
  await runner.stop()
  await server.stop()
})

describe('jobs', () => {
  test('run with their payload', async () => {
    await enqueue(server.deps.db, flakyJob, { id: 'once' })
    await waitFor('the job ran', () => attempts.get('once'))
    expect(attempts.get('once')).toEqual([1])
  })

  test('exist exactly when the change they belong to does', async () => {
    const failed = server.deps.db.transaction(async (tx) => {
      await enqueue(tx, flakyJob, { id: 'rolled back' })
      throw new Error('roll back')
    })
    expect(failed).rejects.toThrow('roll back')
    await server.deps.db.transaction(async (tx) => {
      await enqueue(tx, flakyJob, { id: 'committed' })
    })
    await waitFor('the job ran', () => attempts.get('committed'))
    expect(attempts.has('rolled back')).toBe(false)
  })

  test('are tried again after a pause when they fail', async () => {
    await enqueue(server.deps.db, flakyJob, { id: 'twice' })
    await waitFor('the second attempt', () => attempts.get('twice')?.length === 2)
    expect(attempts.get('twice')).toEqual([1, 2])
    expect(outcomes.filter(({ task }) => task === flakyJob.name).map(({ outcome }) => outcome)).toContain(
      'failed',
    )
  })

  test('wait for their time', async () => {
    await enqueue(server.deps.db, flakyJob, { id: 'later' }, { runAt: new Date(Date.now() + 3_600_000) })
    await enqueue(server.deps.db, flakyJob, { id: 'now' })
    await waitFor('the other job ran', () => attempts.get('now'))
    expect(attempts.has('later')).toBe(false)
  })

  test('with a key replace each other while they wait', async () => {
    const runAt = new Date(Date.now() + 4000)
    await enqueue(server.deps.db, flakyJob, { id: 'old' }, { runAt, key: 'same' })
    await enqueue(server.deps.db, flakyJob, { id: 'new' }, { runAt, key: 'same' })
    await waitFor('the new one ran', () => attempts.get('new'))
    expect(attempts.has('old')).toBe(false)
  })

  test('that fail after a newer one took their key are not dead: that one does the work', async () => {
    const key = 'replaced'
    await enqueue(server.deps.db, replacedJob, { id: 'older' }, { key })
    await waitFor('the older one runs', () => replacedStarted.includes('older'))
    await enqueue(server.deps.db, replacedJob, { id: 'newer' }, { key })
    replacedEnd.reject(new Error('too late'))
    const ends = () => outcomes.filter(({ task }) => task === replacedJob.name).map(({ outcome }) => outcome)
    await waitFor('both ended', () => ends().length === 2)
    expect(ends().toSorted()).toEqual(['done', 'failed'])
    expect(replacedStarted).toEqual(['older', 'newer'])
    expect((await loadQueueState(server.deps.db)).dead).toEqual([])
  })

  test('that fail for good are dead and tell why', async () => {
    await enqueue(server.deps.db, failingJob, { reason: 'the moon is full' })
    const state = await waitFor('the job is dead', async () => {
      const now = await loadQueueState(server.deps.db)
      return now.dead.length > 0 && now
    })
    expect(state.dead).toEqual([{ task: failingJob.name, count: 1, last_error: 'the moon is full' }])
    expect(outcomes.at(-1)).toMatchObject({ task: failingJob.name, outcome: 'dead' })
  })

  test('never wait behind long ones, which have a few places of their own', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    for (const id of ids) await enqueue(server.deps.db, longJob, { id })
    await waitFor('their places are taken', () => longStarted.length === 2)
    await enqueue(server.deps.db, flakyJob, { id: 'short' })
    await waitFor('the short one ran', () => attempts.get('short'))
    expect(longStarted).toHaveLength(2)
    longEnd.resolve()
    await waitFor('all of them ran', () => longStarted.length === ids.length)
  })

  test('with a cron line are known to the queue', async () => {
    const rows = await server.deps.db.execute<{ identifier: string }>(
      sql`select identifier from graphile_worker._private_known_crontabs`,
    )
    expect([...rows].map((row) => row.identifier)).toEqual([cronJob.name])
  })
})

describe('the registry', () => {
  const one = defineJob('one')
  const two = defineJob('two')
  const handler = (job: typeof one): BoundHandler => handleJob(job, async () => undefined)

  test('of this program is complete', () => {
    expect(loadHandlers().length).toBeGreaterThan(0)
  })

  test.each([
    ['a job without a handler', [one, two], [handler(one)], 'job two has no handler'],
    ['a job with two', [one], [handler(one), handler(one)], 'job one has 2 handlers'],
    ['a handler without a job', [one], [handler(one), handler(two)], 'handler of two has no declaration'],
    ['a job declared twice', [one, one], [handler(one)], 'job one is declared twice'],
  ])('refuses to start with %s', (_, jobs, handlers, message) => {
    expect(() => checkHandlers(jobs, handlers)).toThrow(message)
  })
})
