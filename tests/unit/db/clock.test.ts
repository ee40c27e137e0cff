import { expect, test } from 'bun:test'

import { createClock } from '../../../src/db/clock.ts'

/** A process and a database whose clocks differ; each question takes `there` and each answer `back` milliseconds. */
function simulate(delays: readonly (readonly [there: number, back: number])[]) {
  const DATABASE_AHEAD = 1_000_000
  let now = 0
  let asked = 0
  const clock = createClock(
    async () => {
      const [there, back] = delays[asked % delays.length] ?? [0, 0]
      asked += 1
      now += there
      const time = now + DATABASE_AHEAD
      now += back
      return time
    },
    () => now,
  )
  return {
    errorOf: async (moment: number) =>
      (await clock.toDatabaseTime(moment)).getTime() - moment - DATABASE_AHEAD,
    pass: (ms: number) => (now += ms),
    asked: () => asked,
  }
}

test('the time of the database is exact when question and answer take the same time', async () => {
  const { errorOf, asked } = simulate([[0.2, 0.2]])
  expect(await errorOf(5)).toBe(0)
  expect(asked()).toBe(1)
  expect(await errorOf(-500)).toBe(0)
  expect(asked()).toBe(1)
})

test('of several measurements the quickest counts, however late the others were read', async () => {
  const { errorOf } = simulate([
    [1, 400],
    [0.4, 0.4],
    [1, 300],
  ])
  expect(Math.abs(await errorOf(0))).toBeLessThan(1)
})

test('a busy process keeps its earlier, better measurement until that is too old', async () => {
  const { errorOf, pass, asked } = simulate([
    [0.2, 0.2],
    [1, 200],
  ])
  await errorOf(0)
  pass(31_000)
  expect(Math.abs(await errorOf(31_000))).toBeLessThan(2)
  expect(asked()).toBeGreaterThan(1)
})
