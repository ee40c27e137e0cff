import { describe, expect, test } from 'bun:test'

import { createSlowLane, leaveLane, receive } from '../../../../src/http/server/slow-lane.ts'
import { waitFor } from '../../../helpers/wait.ts'

const REFUSALS = 30
const NETWORK_REFUSALS = 32
/** Of one address. */
const NETWORK_SHARE = 8

/** Addresses are written as `network.host`. */
function open() {
  let time = 0
  let cpu = 0
  const lane = createSlowLane({
    senderOf(request) {
      const address = request.headers.get('x-address')
      if (address === null) return null
      return { address, network: address.split('.')[0] ?? '', credential: request.headers.get('x-key') }
    },
    accountOf: (request) => request.headers.get('x-account'),
    now: () => time,
    readCpu: () => cpu,
  })
  const from = (address: string, method = 'GET') =>
    new Request('http://shelf/', { method, headers: { 'x-address': address } })
  const refuse = (address: string, times = REFUSALS, status = 400, method = 'GET') => {
    for (let count = 0; count < times; count += 1) lane.observe(from(address, method), status)
  }
  return {
    lane,
    refuse,
    from,
    isFor: (address: string) => lane.laneFor(from(address)) !== null,
    wait: (ms: number) => (time += ms),
    /** Requests that are in progress together, each of which uses this much CPU time. */
    work(requests: readonly Request[], ms: number) {
      const measured = requests.map((request) => [request, lane.measure(request)] as const)
      cpu += ms * requests.length
      time += ms * requests.length
      for (const [request, measurement] of measured) lane.charge(request, measurement)
    },
  }
}

/** A lane in which every request runs. */
function enter() {
  const opened = open()
  opened.refuse('bad.1')
  const run = <Result>(work: () => Result | Promise<Result>, request = opened.from('bad.1')) => {
    const lane = opened.lane.laneFor(request)
    if (!lane) throw new Error('The address is not slow')
    return opened.lane.run(request, lane, work)
  }
  return { ...opened, run }
}

describe('the slow lane', () => {
  test('is for addresses with many refused requests, and for no others', () => {
    const { refuse, isFor } = open()
    refuse('bad.1', REFUSALS - 1)
    expect(isFor('bad.1')).toBe(false)
    refuse('bad.1', 1)
    expect([isFor('bad.1'), isFor('good.1')]).toEqual([true, false])
  })

  test('is not for the neighbours of one address, however much is refused to it', () => {
    const { refuse, isFor } = open()
    refuse('bad.1', 10 * NETWORK_REFUSALS)
    expect([isFor('bad.1'), isFor('bad.2')]).toEqual([true, false])
  })

  test('is for a network of many such addresses, which have other slots than its neighbours', () => {
    const { lane, refuse, from, isFor } = open()
    const hosts = NETWORK_REFUSALS / NETWORK_SHARE
    for (let host = 1; host < hosts; host += 1) refuse(`bad.${host}`)
    refuse(`bad.${hosts}`, NETWORK_SHARE - 1)
    expect(isFor('bad.200')).toBe(false)
    refuse(`bad.${hosts}`, 1)
    expect([isFor('bad.200'), isFor('good.200')]).toEqual([true, false])
    expect(lane.laneFor(from('bad.1'))).not.toBe(lane.laneFor(from('bad.200')))
  })

  test.each([404, 405, 410, 416])('does not count pages that are missing (%d), only forms', (status) => {
    const { refuse, isFor } = open()
    refuse('fine.1', 1000, status)
    expect(isFor('fine.1')).toBe(false)
    refuse('fine.1', REFUSALS, status, 'POST')
    expect(isFor('fine.1')).toBe(true)
  })

  test('is never for requests of no known network', () => {
    const { lane } = open()
    const request = new Request('http://shelf/')
    for (let count = 0; count < REFUSALS * 2; count += 1) lane.observe(request, 400)
    expect(lane.laneFor(request)).toBeNull()
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
    const { run } = enter()
    const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const began: number[] = []
    const runs = works.map(({ promise }, number) =>
      run(async () => {
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

  test('rests seven times as long as it worked', async () => {
    const { run } = enter()
    const started = performance.now()
    await Promise.all([1, 2].map(() => run(() => Bun.sleep(50))))
    await run(() => 'served')
    expect(performance.now() - started).toBeGreaterThan(8 * 50 - 10)
  })

  test('is not blocked for good by work that never ends', async () => {
    const { run } = enter()
    for (let count = 0; count < 20; count += 1) void run(() => new Promise<never>(() => undefined))
    expect(await run(() => 'served')).toBe('served')
  })

  test('passes errors on and frees the slot', async () => {
    const { run } = enter()
    const failures = Array.from({ length: 10 }, () => run(() => Promise.reject(new Error('broken'))))
    for (const { reason } of (await Promise.allSettled(failures)) as PromiseRejectedResult[])
      expect(reason).toEqual(new Error('broken'))
    expect(await run(() => 'served')).toBe('served')
  })

  test('is free while bodies arrive, and taken again for the work on them', async () => {
    const { lane, run, from } = enter()
    const bodies = Array.from({ length: 8 }, () => Promise.withResolvers<string>())
    const works: string[] = []
    let receiving = 0
    const slow = bodies.map(({ promise }) => {
      const request = from('bad.1')
      const read = () => {
        receiving += 1
        return promise
      }
      return run(async () => works.push(await receive(request, read)), request)
    })
    await waitFor('all wait for their bodies', () => receiving === bodies.length)
    const bothSlots = lane.laneFor(from('bad.1'))?.slots.tryAcquire(2)
    expect(bothSlots).toBeTruthy()
    bothSlots?.[Symbol.dispose]()
    expect(works).toEqual([])
    for (const { resolve } of bodies) resolve('body')
    await Promise.all(slow)
    expect(works).toHaveLength(8)
  })
})

describe('the lane of heavy senders', () => {
  const CROWD = 16
  const crowd = (request: () => Request) => Array.from({ length: CROWD }, request)

  test('is for an address that uses much more time than others while requests pile up', () => {
    const { from, work, isFor } = open()
    for (let round = 0; round < 20; round += 1) {
      work([...crowd(() => from('much.1')), from('little.1'), from('some.2')], 10)
    }
    expect([isFor('much.1'), isFor('little.1'), isFor('some.2')]).toEqual([true, false, false])
    expect(isFor('much.2')).toBe(false)
  })

  test('is for nobody while no requests pile up, however much one sender uses', () => {
    const { from, work, isFor } = open()
    for (let round = 0; round < 500; round += 1) work([from('much.1')], 10)
    expect(isFor('much.1')).toBe(false)
  })

  test('is for a network whose addresses use much together, and not for those of other networks', () => {
    const { from, work, isFor } = open()
    for (let round = 0; round < 20; round += 1) {
      const flood = Array.from({ length: 50 }, (_, host) => from(`flood.${host}`))
      work([...flood, ...Array.from({ length: 10 }, (_, host) => from(`net${host}.1`))], 5)
    }
    expect([isFor('flood.7'), isFor('flood.200'), isFor('net3.1')]).toEqual([true, true, false])
  })

  test('is for an account, from whatever address it sends', () => {
    const { lane, work } = open()
    const as = (address: string, account: string) =>
      new Request('http://shelf/', {
        headers: { 'x-address': address, 'x-key': `key of ${account}`, 'x-account': account },
      })
    let host = 0
    for (let round = 0; round < 20; round += 1) {
      work([...crowd(() => as(`net${(host += 1)}.1`, 'much')), as('home.1', 'little')], 10)
    }
    expect(lane.laneFor(as('new.1', 'much'))).not.toBeNull()
    expect(lane.laneFor(as('home.1', 'little'))).toBeNull()
  })

  test('is left by who uses no more than others any longer', () => {
    const { from, work, isFor, wait } = open()
    for (let round = 0; round < 20; round += 1) work([...crowd(() => from('much.1')), from('little.1')], 10)
    expect(isFor('much.1')).toBe(true)
    wait(30_000)
    expect(isFor('much.1')).toBe(false)
  })

  test('is not left by who only uses less because of it', () => {
    const { from, work, isFor } = open()
    const others = () => Array.from({ length: 19 }, (_, host) => from(`net${host}.1`))
    for (let round = 0; round < 20; round += 1) work([...crowd(() => from('much.1')), from('little.1')], 10)
    for (let round = 0; round < 500; round += 1) work([from('much.1'), ...others()], 10)
    expect([isFor('much.1'), isFor('net3.1')]).toEqual([true, false])
    for (let round = 0; round < 500; round += 1) work(others(), 10)
    expect(isFor('much.1')).toBe(false)
  })

  test('does not count the time in which a body arrives', () => {
    const { lane, from, work, isFor } = open()
    const uploads = Array.from({ length: CROWD }, () => from('slow.1', 'POST'))
    for (const request of uploads) {
      lane.measure(request)
      leaveLane(request)
    }
    for (let round = 0; round < 20; round += 1) {
      work([...crowd(() => from('much.1'))], 10)
    }
    expect([isFor('much.1'), isFor('slow.1')]).toEqual([true, false])
  })

  test.each([
    { who: 'others use the thread too', others: ['little.1'], most: 1 },
    { who: 'nobody else uses the thread', others: [], most: 4 },
  ])('serves $most at once while $who, and everybody in it', async ({ others, most }) => {
    const { lane, from, work } = open()
    for (let round = 0; round < 100; round += 1)
      work([...crowd(() => from('much.1')), ...others.map((address) => from(address))], 10)
    let atOnce = 0
    let seen = 0
    const run = () => {
      const request = from('much.1')
      const heavy = lane.laneFor(request)
      if (!heavy) throw new Error('The address is not heavy')
      return lane.run(request, heavy, async () => {
        seen = Math.max(seen, (atOnce += 1))
        await Bun.sleep(1)
        atOnce -= 1
        return 'served'
      })
    }
    const requests = Array.from({ length: 2 * most + 1 }, run)
    expect(await Promise.all(requests)).toEqual(requests.map(() => 'served'))
    expect(seen).toBe(most)
  })
})
