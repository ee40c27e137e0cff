import { describe, expect, test } from 'bun:test'

import { AppError } from '../../../../src/errors.ts'
import { createReceiveBudget, type Receipt } from '../../../../src/lib/flow/buffer-memory.ts'
import { isSliceOver, nextSlice } from '../../../../src/lib/flow/loop-slices.ts'
import { createFairSemaphore, createTimeSlices } from '../../../../src/lib/flow/time-slices.ts'

const isEnded = ({ signal }: Receipt) => signal.aborted

describe('when the memory for files that arrive runs out', () => {
  test('the one that began first is ended, until the rest fits', () => {
    const budget = createReceiveBudget(100)
    const [a, b, c] = [budget.open(), budget.open(), budget.open()]
    b.add(40)
    a.add(30)
    c.add(30)
    expect([a, b, c].map(isEnded)).toEqual([false, false, false])
    c.add(1)
    expect([a, b, c].map(isEnded)).toEqual([true, false, false])
    expect(a.signal.reason).toBeInstanceOf(AppError)
    expect(a.signal.reason).toMatchObject({ code: 4290, status: 429 })
    c.add(70)
    expect([b, c].map(isEnded)).toEqual([true, true])
  })

  test('those that have arrived stay, and count until they are done', () => {
    const budget = createReceiveBudget(100)
    const arrived = budget.open()
    arrived.add(90)
    arrived.complete()
    const late = budget.open()
    late.add(11)
    expect([arrived, late].map(isEnded)).toEqual([false, true])
    arrived[Symbol.dispose]()
    const next = budget.open()
    next.add(100)
    expect(isEnded(next)).toBe(false)
  })

  test('what is ended or done frees its bytes once', () => {
    const budget = createReceiveBudget(100)
    const [ended, done] = [budget.open(), budget.open()]
    ended.add(60)
    done.add(60)
    expect([ended, done].map(isEnded)).toEqual([true, false])
    ended.add(60)
    for (const receipt of [ended, ended, done, done]) receipt[Symbol.dispose]()
    const [a, b] = [budget.open(), budget.open()]
    a.add(100)
    b.add(1)
    expect([a, b].map(isEnded)).toEqual([true, false])
  })
})

test('many computations at once take turns and let timers in', async () => {
  let [running, timers] = [10, 0]
  const compute = async () => {
    let yields = 0
    for (let spent = 0; spent < 40;) {
      const started = performance.now()
      while (performance.now() - started < 1) Math.random()
      spent += 1
      if (!isSliceOver()) continue
      yields += 1
      await nextSlice()
    }
    running -= 1
    return yields
  }
  const timer = setInterval(() => {
    if (running > 0) timers += 1
  }, 1)
  const yields = await Promise.all(Array.from({ length: 10 }, compute))
  clearInterval(timer)
  expect(Math.min(...yields)).toBeGreaterThan(0)
  expect(timers).toBeGreaterThan(10)
})

describe('a fair semaphore', () => {
  /** Everyone who asks is named in `began` when they get their turn. */
  function start(capacity: number, perOwner: number) {
    const semaphore = createFairSemaphore(capacity, perOwner)
    const began: string[] = []
    const held: { owner: string; slot: Disposable }[] = []
    const ask = async (owner: string, signal?: AbortSignal) => {
      const slot = await semaphore.acquire(owner, signal)
      began.push(owner)
      held.push({ owner, slot })
    }
    const release = async (owner: string) => {
      const [found] = held.splice(
        held.findIndex((each) => each.owner === owner),
        1,
      )
      found?.slot[Symbol.dispose]()
      await Bun.sleep(0)
    }
    return { semaphore, began, ask, release }
  }

  test('serves owners in turn, however many of one wait', async () => {
    const { began, ask, release } = start(1, 1)
    const asked = [ask('a'), ask('a'), ask('a'), ask('b'), ask('c')]
    for (const owner of ['a', 'a', 'b', 'c']) {
      await Bun.sleep(0)
      expect(began.at(-1)).toBe(owner)
      await release(owner)
    }
    await Promise.all(asked)
    expect(began).toEqual(['a', 'a', 'b', 'c', 'a'])
  })

  test('gives one owner at most their share, so that another never waits for them', async () => {
    const { semaphore, began, ask, release } = start(3, 2)
    const asked = [ask('a'), ask('a'), ask('a'), ask('a')]
    await Bun.sleep(0)
    expect(began).toEqual(['a', 'a'])
    expect(semaphore.tryAcquire('a')).toBeNull()
    await ask('b')
    expect(semaphore.isAwaited('b')).toBe(false)
    expect(semaphore.isAwaited('a')).toBe(true)
    await release('a')
    await release('a')
    await Promise.all(asked)
    expect(began).toEqual(['a', 'a', 'b', 'a', 'a'])
  })

  test('forgets who no longer waits', async () => {
    const { semaphore, began, ask, release } = start(1, 1)
    await ask('a')
    const control = new AbortController()
    const left = ask('b', control.signal)
    const stays = ask('c')
    control.abort(new Error('left'))
    expect(left).rejects.toThrow('left')
    await release('a')
    await stays
    expect(began).toEqual(['a', 'c'])
    expect(semaphore.isAwaited('c')).toBe(false)
    await release('c')
    expect(semaphore.tryAcquire('d')).not.toBeNull()
  })
})

test('only so many slices run at once, the others follow in the order they came', async () => {
  const slices = createTimeSlices({ slots: 2, sliceMs: 0 })
  const began: string[] = []
  const take = async (name: string) => {
    const slice = await slices.acquire()
    began.push(name)
    return slice
  }
  const [first, second] = await Promise.all([take('first'), take('second')])
  const third = take('third')
  const fourth = take('fourth')
  expect(began).toEqual(['first', 'second'])
  second[Symbol.dispose]()
  ;(await third)[Symbol.dispose]()
  await fourth
  expect(began).toEqual(['first', 'second', 'third', 'fourth'])
  first[Symbol.dispose]()
  await take('fifth')
  expect(began).toHaveLength(5)
})

test('a slot is wanted while others wait for it, and expired once it has also lasted its time', async () => {
  const [short, long] = [
    createTimeSlices({ slots: 1, sliceMs: 0 }),
    createTimeSlices({ slots: 1, sliceMs: 3_600_000 }),
  ]
  const [brief, lasting] = [await short.acquire(), await long.acquire()]
  expect([brief.isWanted(), brief.isExpired()]).toEqual([false, false])
  const next = [short.acquire(), long.acquire()]
  expect([brief.isWanted(), brief.isExpired()]).toEqual([true, true])
  expect([lasting.isWanted(), lasting.isExpired()]).toEqual([true, false])
  brief[Symbol.dispose]()
  lasting[Symbol.dispose]()
  expect((await Promise.all(next)).map((slice) => slice.isWanted())).toEqual([false, false])
})

test('a slice has more slots while some are free and nobody waits for them', async () => {
  const slices = createTimeSlices({ slots: 2, sliceMs: 0 })
  const slice = await slices.acquire()
  const more = slice.tryExtend()
  expect(more).not.toBeNull()
  expect(slice.tryExtend()).toBeNull()
  const next = slices.acquire()
  more?.[Symbol.dispose]()
  await next
  expect(slice.tryExtend()).toBeNull()
})
