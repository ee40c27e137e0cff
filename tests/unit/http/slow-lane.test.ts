import { describe, expect, test } from 'bun:test'

import { createSlowLane } from '../../../src/http/slow-lane.ts'
import { waitFor } from '../../helpers/wait.ts'

const REFUSALS = 30

function open() {
  let time = 0
  const lane = createSlowLane(
    (request) => request.headers.get('x-network'),
    () => time,
  )
  const from = (network: string) => new Request('http://shelf/', { headers: { 'x-network': network } })
  const refuse = (network: string, times = REFUSALS, status = 400) => {
    for (let count = 0; count < times; count += 1) lane.observe(from(network), status)
  }
  return {
    lane,
    refuse,
    isFor: (network: string) => lane.isFor(from(network)),
    wait: (ms: number) => (time += ms),
  }
}

describe('the slow lane', () => {
  test('is for networks with many refused requests, and for no others', () => {
    const { refuse, isFor } = open()
    refuse('bad', REFUSALS - 1)
    expect(isFor('bad')).toBe(false)
    refuse('bad', 1)
    expect([isFor('bad'), isFor('good')]).toEqual([true, false])
  })

  test('is never for requests of no known network', () => {
    const { lane } = open()
    const request = new Request('http://shelf/')
    for (let count = 0; count < REFUSALS * 2; count += 1) lane.observe(request, 400)
    expect(lane.isFor(request)).toBe(false)
  })

  test.each([200, 304, 500, 503])('does not count responses of status %d', (status) => {
    const { refuse, isFor } = open()
    refuse('fine', 1000, status)
    expect(isFor('fine')).toBe(false)
  })

  test('does not add up refusals of different minutes', () => {
    const { refuse, isFor, wait } = open()
    for (let minute = 0; minute < 10; minute += 1) {
      refuse('clumsy', REFUSALS - 1)
      wait(60_000)
    }
    expect(isFor('clumsy')).toBe(false)
  })

  test('is left a minute after the last refusals, not earlier', () => {
    const { refuse, isFor, wait } = open()
    refuse('bad')
    wait(59_000)
    expect(isFor('bad')).toBe(true)
    refuse('bad')
    wait(59_000)
    expect(isFor('bad')).toBe(true)
    wait(2000)
    expect(isFor('bad')).toBe(false)
  })

  test('does two things at once, in the order they came', async () => {
    const { lane } = open()
    const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const began: number[] = []
    const runs = works.map(({ promise }, number) =>
      lane.run(async () => {
        began.push(number)
        await promise
      }),
    )
    await Bun.sleep(20)
    expect(began).toEqual([0, 1])
    works[1]?.resolve()
    await waitFor('the next one begins', () => began.length > 2)
    expect(began).toEqual([0, 1, 2])
    for (const { resolve } of works) resolve()
    await Promise.all(runs)
    expect(began).toEqual([0, 1, 2, 3, 4])
  })

  test('is not blocked for good by work that never ends', async () => {
    const { lane } = open()
    for (let count = 0; count < 20; count += 1) void lane.run(() => new Promise<never>(() => undefined))
    expect(await lane.run(() => 'served')).toBe('served')
  })

  test('passes errors on and frees the slot', async () => {
    const { lane } = open()
    const fail = () => lane.run(() => Promise.reject(new Error('broken')))
    for (let count = 0; count < 10; count += 1) expect(fail()).rejects.toThrow('broken')
    expect(await lane.run(() => 'served')).toBe('served')
  })
})
