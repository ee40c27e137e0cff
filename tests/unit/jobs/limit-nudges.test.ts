import { beforeEach, describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'

import { limitNudges } from '../../../src/jobs/limit-nudges.ts'
import { waitFor } from '../../helpers/wait.ts'

let events: EventEmitter
let workerPool: { nudge(count: number): void }
let looks: number[]
beforeEach(() => {
  events = new EventEmitter()
  looks = []
  workerPool = { nudge: (count) => void looks.push(count) }
  limitNudges(events)
  events.emit('pool:create', { workerPool })
})

const announce = (times: number, count = 1) => {
  for (let time = 0; time < times; time += 1) workerPool.nudge(count)
}

describe('new jobs', () => {
  test('make one worker look at once', () => {
    announce(1, 8)
    expect(looks).toEqual([1])
  })

  test('that come together make one look at once and one after a pause', async () => {
    announce(100)
    expect(looks).toEqual([1])
    await waitFor('the second look', () => looks.length === 2)
    await Bun.sleep(200)
    expect(looks).toEqual([1, 1])
  })

  test('make another worker look whenever one found a job', () => {
    announce(1)
    for (let found = 0; found < 3; found += 1) events.emit('job:start', {})
    expect(looks).toEqual([1, 1, 1, 1])
  })
})

test('the next job of a queue is looked for once the last one is released', async () => {
  events.emit('job:complete', { job: { job_queue_id: null } })
  events.emit('job:complete', { job: { job_queue_id: 1 } })
  expect(looks).toEqual([])
  await waitFor('the look', () => looks.length > 0)
  expect(looks).toEqual([1])
})

test('nobody looks after the end, which the library forbids', async () => {
  announce(2)
  events.emit('job:complete', { job: { job_queue_id: 1 } })
  events.emit('pool:gracefulShutdown')
  await Bun.sleep(200)
  announce(1)
  events.emit('job:start', {})
  expect(looks).toEqual([1])
})
