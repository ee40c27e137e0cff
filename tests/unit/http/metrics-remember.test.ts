import { expect, test } from 'bun:test'

import { remember } from '../../../src/http/metrics-remember.ts'

test('asks once within the time and again after it', async () => {
  let now = 1000
  let asked = 0
  const ask = remember(
    async () => {
      asked += 1
      return asked
    },
    5000,
    () => now,
  )
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1])
  now += 4999
  expect(await ask()).toBe(1)
  now += 1
  expect(await ask()).toBe(2)
})
