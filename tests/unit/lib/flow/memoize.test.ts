import { expect, test } from 'bun:test'

import { memoize } from '../../../../src/lib/flow/memoize.ts'

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
