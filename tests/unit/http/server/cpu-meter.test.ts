import { describe, expect, test } from 'bun:test'

import { CpuMeter } from '../../../../src/http/server/cpu-meter.ts'

function open() {
  let cpu = 0
  let time = 0
  const meter = new CpuMeter(
    () => time,
    () => cpu,
  )
  return { meter, use: (ms: number) => (cpu += ms), wait: (ms: number) => (time += ms) }
}

describe('the cost of a request', () => {
  test('is all that the thread used while it was the only one', () => {
    const { meter, use } = open()
    use(100)
    const request = meter.start()
    use(7)
    expect(request.end()).toBe(7)
    expect(request.end()).toBe(7)
  })

  test('is a share of what was used while several were in progress', () => {
    const { meter, use } = open()
    const first = meter.start()
    use(4)
    const second = meter.start()
    use(6)
    expect(first.end()).toBe(7)
    use(5)
    expect(second.end()).toBe(8)
  })

  test('does not grow while it is paused', () => {
    const { meter, use } = open()
    const [upload, other] = [meter.start(), meter.start()]
    upload.pause()
    use(10)
    upload.resume()
    upload.resume()
    use(2)
    expect([upload.end(), other.end()]).toEqual([1, 11])
  })
})

describe('a thread', () => {
  test('is busy while requests pile up, and not by one moment of many', () => {
    const { meter, wait } = open()
    const requests = Array.from({ length: 16 }, () => meter.start())
    expect(meter.isBusy()).toBe(false)
    wait(2000)
    expect(meter.isBusy()).toBe(true)
    for (const request of requests) request.end()
    wait(5000)
    expect(meter.isBusy()).toBe(false)
  })
})
