import { expect, test } from 'bun:test'

import { isSliceOver, nextSlice } from '../../../../src/lib/flow/loop-slices.ts'

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
