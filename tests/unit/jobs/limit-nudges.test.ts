import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { EventEmitter } from 'node:events'

import { limitNudges } from '../../../src/jobs/limits.ts'

let events: EventEmitter
let workerPool: { nudge(count: number): void }
let lookAfterPause: () => void
let looks: number[]
beforeEach(() => {
  jest.useFakeTimers()
  events = new EventEmitter()
  looks = []
  workerPool = { nudge: (count) => void looks.push(count) }
  lookAfterPause = limitNudges(events)
  events.emit('pool:create', { workerPool })
})
afterEach(() => {
  events.emit('pool:gracefulShutdown')
  jest.useRealTimers()
})

const announce = (times: number) => {
  for (let time = 0; time < times; time += 1) lookAfterPause()
}
const pass = (ms: number) => void jest.advanceTimersByTime(ms)

describe('new jobs', () => {
  test('make one worker look at once', () => {
    announce(1)
    expect(looks).toEqual([1])
  })

  test('of other lanes, of which the library tells too, make nobody look', () => {
    workerPool.nudge(8)
    expect(looks).toEqual([])
  })

  test('that come together make one look at once and one after a pause', () => {
    announce(100)
    expect(looks).toEqual([1])
    pass(60)
    expect(looks).toEqual([1, 1])
    pass(500)
    expect(looks).toEqual([1, 1])
  })

  test('make another worker look whenever one found a job', () => {
    announce(1)
    for (let found = 0; found < 3; found += 1) events.emit('job:start', {})
    expect(looks).toEqual([1, 1, 1, 1])
  })
})

test('without new jobs one worker looks every second', () => {
  pass(5500)
  expect(looks).toEqual([1, 1, 1, 1, 1])
})

test('the next job of a queue is looked for once the last one is released', () => {
  events.emit('job:complete', { job: { job_queue_id: null } })
  events.emit('job:complete', { job: { job_queue_id: 1 } })
  expect(looks).toEqual([])
  pass(30)
  expect(looks).toEqual([1])
})

test('nobody looks after the end, which the library forbids', () => {
  announce(2)
  events.emit('job:complete', { job: { job_queue_id: 1 } })
  events.emit('pool:gracefulShutdown')
  pass(5000)
  announce(1)
  events.emit('job:start', {})
  expect(looks).toEqual([1])
})
