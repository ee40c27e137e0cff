import { expect, test } from 'bun:test'

import { createCache } from '../../../../src/lib/cache/cache.ts'

test('what was computed from one generation is never returned to another', async () => {
  const cache = createCache<{ from: string }>({ maxBytes: 10_000, bytesOf: () => 10 })
  const slow = Promise.withResolvers<{ from: string }>()
  const first = cache.compute(1, 'key', () => slow.promise)
  const second = await cache.compute(2, 'key', async () => ({ from: 'second' }))
  expect(await cache.compute(1, 'key', async () => ({ from: 'late' }))).toEqual({ from: 'late' })
  slow.resolve({ from: 'first' })
  expect(await first).toEqual({ from: 'first' })
  expect(second).toEqual({ from: 'second' })
  expect(await cache.compute(2, 'key', async () => ({ from: 'again' }))).toEqual({ from: 'second' })
})

test('nothing is served while changes may be missing', async () => {
  let isTrusted = true
  const cache = createCache<{ made: number }>({ maxEntries: 10, isTrusted: () => isTrusted })
  expect(await cache.load('key', async () => ({ made: 1 }))).toEqual({ made: 1 })
  isTrusted = false
  expect(await cache.load('key', async () => ({ made: 2 }))).toEqual({ made: 2 })
})

test('a value whose owner changed while it was loaded is returned, but not stored', async () => {
  const cache = createCache<{ made: number }>({ maxEntries: 10, originOf: () => ({ owners: ['owner'] }) })
  const made = await cache.load('key', async () => {
    cache.removeOwner('owner')
    return { made: 1 }
  })
  expect(made).toEqual({ made: 1 })
  expect(cache.peek('key')).toBeUndefined()
})

test('a shared load is confirmed for those who came later', async () => {
  const outdated = new Map<string, true>()
  const cache = createCache<{ made: number }>({
    maxEntries: 10,
    originOf: ({ made }) => ({ states: [`state ${made}`] }),
    findOutdated: async () => outdated,
  })
  const slow = Promise.withResolvers<{ made: number }>()
  const first = cache.load('key', () => slow.promise)
  const [second, third] = [2, 3].map((made) => cache.load('key', async () => ({ made })))
  outdated.set('state 1', true)
  slow.resolve({ made: 1 })
  expect(await first).toEqual({ made: 1 })
  expect(await second).toEqual({ made: 2 })
  expect(await third).not.toEqual({ made: 1 })
})
