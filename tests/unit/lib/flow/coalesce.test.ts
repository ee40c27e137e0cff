import { describe, expect, test } from 'bun:test'

import { BatchWriter } from '../../../../src/lib/flow/batches.ts'
import { coalesce } from '../../../../src/lib/flow/coalesce.ts'
import { memoize } from '../../../../src/lib/flow/memoize.ts'
import { createKeyedSemaphore, createSemaphore } from '../../../../src/lib/flow/semaphore.ts'
import { LATE, waitAtMost, withTimeout } from '../../../../src/lib/flow/with-timeout.ts'

const bounds = { gatherMs: 3_600_000, maxBatchSize: 10, maxHeldSize: 25, sizeOf: (size: number) => size }

test('writes batches within the size, an item that is larger alone, in the order they came', async () => {
  const written: (readonly number[])[] = []
  const writer = new BatchWriter<number>({ ...bounds, write: async (batch) => void written.push(batch) })
  for (const size of [4, 5, 2, 11, 1]) expect(writer.add(size)).toBe(true)
  expect(writer.heldSize).toBe(23)
  await writer.flush()
  expect(written).toEqual([[4, 5], [2], [11], [1]])
  expect(writer.heldSize).toBe(0)
})

test('takes nothing past its bound until something was written', async () => {
  const writer = new BatchWriter<number>({ ...bounds, write: async () => {} })
  expect([10, 15, 1].map((size) => writer.add(size))).toEqual([true, true, false])
  await writer.flush()
  expect(writer.add(1)).toBe(true)
  await writer.close(1000)
})

test('runs so many writes at once', async () => {
  let running = 0
  let most = 0
  const writer = new BatchWriter<number>({
    ...bounds,
    parallel: 2,
    async write() {
      most = Math.max(most, ++running)
      await Bun.sleep(1)
      running -= 1
    },
  })
  for (const size of [8, 8, 8]) writer.add(size)
  await writer.flush()
  expect(most).toBe(2)
})

test('holds a batch that failed, and writes it before later items', async () => {
  const written: number[] = []
  let isDown = true
  const writer = new BatchWriter<number>({
    ...bounds,
    async write(batch) {
      if (isDown) throw new Error('away')
      written.push(...batch)
    },
  })
  writer.add(9)
  await writer.flush()
  expect(writer.heldSize).toBe(9)
  writer.add(8)
  isDown = false
  await writer.close(1000)
  expect(written).toEqual([9, 8])
})

describe('coalesced reads', () => {
  /** Reads that end when told, with the keys of each. */
  function createSource() {
    const rounds: { keys: readonly string[]; end: (error?: Error) => void }[] = []
    const read = coalesce((keys) => {
      const { promise, resolve, reject } = Promise.withResolvers<Map<string, number>>()
      const found = new Map(keys.filter((key) => key !== 'missing').map((key) => [key, rounds.length]))
      rounds.push({ keys, end: (error) => (error ? reject(error) : resolve(found)) })
      return promise
    })
    return { rounds, read }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  test('who asks while one is under way shares the next, never the one that began before', async () => {
    const { rounds, read } = createSource()
    const early = [read('a'), read('b'), read('a')]
    await settle()
    const late = [read('a'), read('missing')]
    await settle()
    expect(rounds.map(({ keys }) => keys)).toEqual([['a', 'b']])
    rounds[0]?.end()
    await settle()
    rounds[1]?.end()
    expect(await Promise.all(early)).toEqual([0, 0, 0])
    expect(await Promise.all(late)).toEqual([1, undefined])
  })

  test('a failure reaches those who share it, and nobody after', async () => {
    const { rounds, read } = createSource()
    const failing = Promise.allSettled([read('a'), read('b')])
    await settle()
    const later = read('a')
    rounds[0]?.end(new Error('The database is away'))
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await settle()
    rounds[1]?.end()
    expect(await later).toBe(1)
  })
})

test('loads once within the lifetime and again after it', async () => {
  let now = 1000
  let loads = 0
  const read = memoize(
    5000,
    async () => (loads += 1),
    () => now,
  )
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  now += 4999
  expect(await read()).toBe(1)
  now += 1
  expect(await read()).toBe(2)
  expect(await read.refresh()).toBe(3)
  expect(await read()).toBe(3)
})

test('loads again after a failure', async () => {
  let loads = 0
  const read = memoize(5000, async () => {
    loads += 1
    if (loads === 1) throw new Error('away')
    return loads
  })
  expect(await Promise.allSettled([read(), read()])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ])
  expect(await read()).toBe(2)
})

const settle = () => Bun.sleep(0)

/** Shows who holds it, by name. */
function watch(acquire: (name: string, signal?: AbortSignal) => Promise<Disposable>) {
  const held = new Map<string, Disposable>()
  return {
    names: () => [...held.keys()],
    enter: async (name: string, signal?: AbortSignal) => void held.set(name, await acquire(name, signal)),
    async leave(name: string) {
      held.get(name)?.[Symbol.dispose]()
      held.delete(name)
      await settle()
    },
  }
}

describe('a semaphore', () => {
  test('starts what fits and keeps the order of the rest', async () => {
    const weights: Record<string, number> = { a: 2, b: 2, large: 4, c: 1 }
    const semaphore = createSemaphore(4)
    const work = watch((name) => semaphore.acquire(weights[name]))
    for (const name of Object.keys(weights)) void work.enter(name)
    await settle()
    expect(work.names()).toEqual(['a', 'b'])
    await work.leave('a')
    expect(work.names()).toEqual(['b'])
    await work.leave('b')
    expect(work.names()).toEqual(['large'])
    await work.leave('large')
    expect(work.names()).toEqual(['c'])
  })

  test('forgets those who give up waiting, and lets the next one pass them', async () => {
    const semaphore = createSemaphore(2)
    const work = watch((name, signal) => semaphore.acquire(name === 'large' ? 2 : 1, signal))
    const stop = new AbortController()
    await work.enter('a')
    const large = work.enter('large', stop.signal).catch((error: Error) => error.message)
    void work.enter('b')
    await settle()
    expect(work.names()).toEqual(['a'])
    stop.abort(new Error('too late'))
    expect(await large).toBe('too late')
    await settle()
    expect(work.names()).toEqual(['a', 'b'])
    await Promise.all([work.leave('a'), work.leave('b')])
    await work.enter('large')
    expect(work.names()).toEqual(['large'])
  })

  test('is not entered with a signal that has fired', async () => {
    const semaphore = createSemaphore(1)
    expect(semaphore.acquire(1, AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
    const work = watch(() => semaphore.acquire())
    await work.enter('a')
    expect(work.names()).toEqual(['a'])
  })
})

test('a keyed semaphore counts every key for itself', async () => {
  const semaphore = createKeyedSemaphore(2)
  const work = watch((name) => semaphore.acquire(name.slice(0, 1)))
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']) void work.enter(name)
  await settle()
  expect(work.names()).toEqual(['a1', 'a2', 'b1', 'b2'])
  await work.leave('b1')
  expect(work.names()).toEqual(['a1', 'a2', 'b2', 'b3'])
  for (const name of work.names()) await work.leave(name)
  expect(work.names()).toEqual(['a3'])
})

const never = new Promise<never>(() => undefined)

test('work that settles in time is the result, and fails as it does', async () => {
  expect(await waitAtMost(5000, Promise.resolve('done'))).toBe('done')
  expect(waitAtMost(5000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('work that does not settle is late', async () => {
  expect(await waitAtMost(20, never)).toBe(LATE)
  expect(withTimeout(20, never)).rejects.toThrow('no answer within 0.02 s')
})

test('a process that stood still waits on for what came meanwhile', async () => {
  const waiting = waitAtMost(
    400,
    Bun.sleep(420).then(() => 'done'),
  )
  Bun.sleepSync(600)
  expect(await waiting).toBe('done')
})
