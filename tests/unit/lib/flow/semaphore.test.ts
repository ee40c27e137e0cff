import { describe, expect, test } from 'bun:test'

import { createKeyedSemaphore, createSemaphore } from '../../../../src/lib/flow/semaphore.ts'

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
