import { describe, expect, test } from 'bun:test'

import { createBriefCache } from '../../../../src/features/catalog/pages/brief-cache.ts'

describe('a brief cache', () => {
  test('makes an answer once while it lives, however many ask', async () => {
    const cache = createBriefCache(60_000, 10_000)
    let made = 0
    const make = async () => ({ made: (made += 1) })
    const [one, two] = await Promise.all([cache.read('a', make), cache.read('a', make)])
    expect(one).toBe(two)
    expect(one.body).toBe('{"success":true,"data":{"made":1}}')
  })

  test('makes it again when its time is over', async () => {
    const cache = createBriefCache(5, 10_000)
    let made = 0
    const make = async () => ({ made: (made += 1) })
    await cache.read('a', make)
    await Bun.sleep(20)
    await cache.read('a', make)
    expect(made).toBe(2)
  })

  test('keeps no more than its bound, and no failure', async () => {
    const cache = createBriefCache(60_000, 600)
    let made = 0
    const make = async () => ({ made: (made += 1) })
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await cache.read(key, make)
    expect(made).toBe(4)
    expect(cache.read('x', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    await Promise.resolve()
    expect((await cache.read('x', make)).body).toContain('"made":5')
  })
})
