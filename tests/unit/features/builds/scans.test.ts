import { expect, test } from 'bun:test'

import { nextAttempt } from '../../../../src/features/builds/scans/run.ts'

const HOUR = 3_600_000
const since = new Date('2026-03-01T12:00:00Z')
const pauseAfter = (waitedMs: number) => {
  const now = new Date(since.getTime() + waitedMs)
  const next = nextAttempt(since, now)
  return next && next.getTime() - now.getTime()
}

test.each([
  [0, 1000],
  [1500, 1000],
  [60_000, 30_000],
  [10 * 60_000, 5 * 60_000],
  [5 * HOUR, 5 * 60_000],
  [24 * HOUR - 1, 5 * 60_000],
  [24 * HOUR, null],
])('a scan that has waited %p ms is tried again after %p ms', (waited, pause) => {
  expect(pauseAfter(waited)).toBe(pause)
})
