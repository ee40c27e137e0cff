import { expect, test } from 'bun:test'

import { createRecentRequests } from '../../../../src/features/operate/status/recent-requests.ts'

const MINUTE_MS = 60_000

function record() {
  const clock = { now: Date.UTC(2026, 0, 31, 12) }
  const recent = createRecentRequests(() => clock.now)
  const add = (route: string, status = 200, seconds = 0.01) =>
    recent.add({ method: 'GET', route, status, seconds })
  return { clock, recent, add }
}

test('counts requests and errors per route, and the slowest on average first', () => {
  const { recent, add } = record()
  add('/quick')
  add('/slow', 200, 0.5)
  add('/slow', 503, 1.5)
  const facts = recent.read()
  expect([facts.total, facts.errors]).toEqual([3, 1])
  expect(facts.slowest).toEqual([
    { method: 'GET', route: '/slow', count: 2, errors: 1, mean_ms: 1000, slowest_ms: 1500 },
    { method: 'GET', route: '/quick', count: 1, errors: 0, mean_ms: 10, slowest_ms: 10 },
  ])
  expect(facts.failing.map(({ route }) => route)).toEqual(['/slow'])
})

test('shows the last hour minute by minute, and forgets what is older', () => {
  const { clock, recent, add } = record()
  add('/old')
  clock.now += 30 * MINUTE_MS
  add('/new')
  add('/new')
  const { minutes, since } = recent.read()
  expect([minutes.length, minutes.at(-1), minutes.at(-31)]).toEqual([60, 2, 1])
  expect(since).toBe('2026-01-31T12:00:00.000Z')
  clock.now += 31 * MINUTE_MS
  expect(recent.read()).toMatchObject({ total: 2, slowest: [{ route: '/new' }] })
  clock.now += 600 * MINUTE_MS
  expect(recent.read()).toMatchObject({ total: 0, slowest: [] })
})
