import { describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { defineJob, handleJob, LANES } from '../../../src/jobs/define.ts'
import { countJobsOf, enqueue } from '../../../src/jobs/queue.ts'
import { startRunner } from '../../../src/jobs/runner.ts'
import { useStore } from '../../helpers/store.ts'
import { waitFor } from '../../helpers/wait.ts'

interface Owned {
  owner: string
  id: string
}

const ownedJob = defineJob<Owned>('test.owned', { lane: 'scans', ownerOf: ({ owner }) => owner })

const server = useStore()

/** Jobs that run until they are let go. */
function createWork() {
  const started: string[] = []
  const running = new Map<string, () => void>()
  const handler = handleJob(ownedJob, async (_, { owner, id }) => {
    started.push(owner + id)
    await new Promise<void>((resolve) => running.set(owner + id, resolve))
    running.delete(owner + id)
  })
  return {
    handler,
    started,
    running,
    finish(name: string) {
      running.get(name)?.()
    },
  }
}

const start = (work: ReturnType<typeof createWork>, slots?: number) =>
  startRunner(server.deps, {
    databaseUrl: server.databaseUrl,
    handlers: [work.handler],
    ...(slots === undefined ? {} : { slots: { scans: slots } }),
  })

const add = (owner: string, id: string | number, options?: Parameters<typeof enqueue>[3]) =>
  enqueue(server.deps.db, ownedJob, { owner, id: String(id) }, options)

async function endAll(work: ReturnType<typeof createWork>): Promise<void> {
  await waitFor('all jobs ended', async () => {
    for (const name of work.running.keys()) work.finish(name)
    const [row] = await server.deps.db.execute<{ jobs: number }>(
      sql`select count(*)::int as jobs from graphile_worker.jobs`,
    )
    return row?.jobs === 0
  })
}

describe('owners', () => {
  test('are served in turn, however much one of them has waiting', async () => {
    for (let id = 0; id < 4; id += 1) await add('a', id)
    await add('b', 0)
    await add('c', 0)
    await add('c', 1)
    const work = createWork()
    const runner = await start(work, 1)
    await endAll(work)
    await runner.stop()
    expect(work.started).toEqual(['a0', 'b0', 'c0', 'a1', 'c1', 'a2', 'a3'])
  })

  test('that come later are not behind what others had waiting', async () => {
    for (let id = 0; id < 6; id += 1) await add('a', id)
    const work = createWork()
    const runner = await start(work, 1)
    for (const name of ['a0', 'a1']) {
      await waitFor(`${name} runs`, () => work.running.has(name))
      work.finish(name)
    }
    await waitFor('the third runs', () => work.running.has('a2'))
    await add('b', 0)
    await add('a', 6)
    await endAll(work)
    await runner.stop()
    expect(work.started).toEqual(['a0', 'a1', 'a2', 'a3', 'b0', 'a4', 'a5', 'a6'])
  })

  test('have only some of the slots of a lane', async () => {
    const work = createWork()
    const runner = await start(work)
    for (let id = 0; id < 20; id += 1) await add('a', id)
    await waitFor('one runs', () => work.running.size > 0)
    for (const owner of ['b', 'c']) {
      await add(owner, 0)
      await waitFor(`${owner} runs`, () => work.running.has(`${owner}0`))
    }
    expect([...work.running.keys()].filter((name) => name.startsWith('a'))).toHaveLength(LANES.scans.perOwner)
    expect(await countJobsOf(server.deps.db, ownedJob, 'a')).toBe(20)
    await endAll(work)
    await runner.stop()
    expect(work.started).toHaveLength(22)
  })

  test('get the same turn when a job is queued again by its key', async () => {
    for (let times = 0; times < 5; times += 1) await add('a', times, { key: 'again' })
    const [row] = await server.deps.db.execute<{ priority: number }>(
      sql`select priority from graphile_worker.jobs where key = 'again'`,
    )
    expect(row?.priority).toBe(0)
    const work = createWork()
    const runner = await start(work)
    await endAll(work)
    await runner.stop()
    expect(work.started).toEqual(['a4'])
  })
})
