import { describe, expect, test } from 'bun:test'

import { createFairSemaphore, createTimeSlices } from '../../../../src/lib/flow/time-slices.ts'

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
