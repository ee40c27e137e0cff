import { expect, test } from 'bun:test'

import { GenerationCache } from '../../../../../../src/clients/search/postgres/query/generation-cache.ts'

test('what was computed from one generation is never returned to another', async () => {
  const cache = new GenerationCache<{ from: string }>({ maxBytes: 10_000, bytesOf: () => 10 })
  const slow = Promise.withResolvers<{ from: string }>()
  const first = cache.load(1, 'key', () => slow.promise)
  const second = await cache.load(2, 'key', async () => ({ from: 'second' }))
  expect(await cache.load(1, 'key', async () => ({ from: 'late' }))).toEqual({ from: 'late' })
  slow.resolve({ from: 'first' })
  expect(await first).toEqual({ from: 'first' })
  expect(second).toEqual({ from: 'second' })
  expect(await cache.load(2, 'key', async () => ({ from: 'again' }))).toEqual({ from: 'second' })
})
