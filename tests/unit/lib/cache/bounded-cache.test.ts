import { describe, expect, test } from 'bun:test'

import { BoundedCache } from '../../../../src/lib/cache/bounded-cache.ts'

const createCache = (maxBytes: number) =>
  new BoundedCache<{ bytes: number }>({ maxBytes, bytesOf: ({ bytes }) => bytes })

describe('a bounded cache', () => {
  test('holds no more bytes than its bound, keys included', () => {
    const cache = createCache(100_000)
    for (let at = 0; at < 1000; at += 1) cache.set(`${at} ${'x'.repeat(at)}`, { bytes: at })
    expect(cache.bytes).toBeWithin(50_000, 100_001)
    cache.set('larger than all', { bytes: 100_001 })
    expect(cache.get('larger than all')).toBeUndefined()
  })

  test('evicts what was not used the longest', () => {
    const cache = createCache(2500)
    for (const key of ['a', 'b']) cache.set(key, { bytes: 800 })
    cache.get('a')
    cache.set('c', { bytes: 800 })
    expect(['a', 'b', 'c'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c'])
  })

  test('loads once for all who ask meanwhile, and again after a failure', async () => {
    const cache = createCache(2500)
    let loads = 0
    const load = () => cache.load('a', async () => ({ bytes: (loads += 1) }))
    expect(await Promise.all([load(), load()])).toEqual([{ bytes: 1 }, { bytes: 1 }])
    expect(await load()).toEqual({ bytes: 1 })
    const fail = async () => await cache.load('b', () => Promise.reject(new Error('away')))
    expect(fail()).rejects.toThrow('away')
    expect(await cache.load('b', async () => ({ bytes: 7 }))).toEqual({ bytes: 7 })
  })

  test.each(['delete', 'clear'] as const)('does not store what was loading at a %s', async (method) => {
    const cache = createCache(2500)
    const slow = Promise.withResolvers<{ bytes: number }>()
    const old = cache.load('a', () => slow.promise)
    cache[method]('a')
    const fresh = await cache.load('a', async () => ({ bytes: 2 }))
    slow.resolve({ bytes: 1 })
    expect(await old).toEqual({ bytes: 1 })
    expect(fresh).toEqual({ bytes: 2 })
    expect(cache.get('a')).toEqual({ bytes: 2 })
  })

  test('loads again what is older than its lifetime', async () => {
    const cache = new BoundedCache<number>({ maxEntries: 2, lifetimeMs: 5 })
    let loads = 0
    const load = async () => await cache.load('a', async () => (loads += 1))
    await load()
    await Bun.sleep(20)
    expect(await load()).toBe(2)
    const lasting = new BoundedCache<number>({ maxEntries: 2, lifetimeMs: 3_600_000 })
    lasting.set('a', 1)
    await Bun.sleep(20)
    expect(lasting.get('a')).toBe(1)
  })

  test('holds no more entries than its bound', () => {
    const cache = new BoundedCache<number>({ maxEntries: 2 })
    for (const [at, key] of ['a', 'b', 'c'].entries()) cache.set(key, at)
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 1, 2])
  })

  test.each([
    ['delete', (cache: BoundedCache<number>) => cache.delete('other')],
    ['clear', (cache: BoundedCache<number>) => cache.clear()],
    ['deleteOwner', (cache: BoundedCache<number>) => cache.deleteOwner('nobody')],
  ])('does not store what was read before a %s', (_, invalidate) => {
    const cache = new BoundedCache<number>({ maxEntries: 2 })
    const store = cache.beginRead()
    store('a', 1)
    invalidate(cache)
    store('b', 2)
    expect(cache.get('b')).toBeUndefined()
    cache.beginRead()('b', 3)
    expect(cache.get('b')).toBe(3)
  })
})

interface Entry {
  owner: string
  text: string
}

function create(maxEntries = 10, lifetimeMs = 60_000) {
  const cache = new BoundedCache<Entry>({
    maxEntries,
    lifetimeMs,
    ownersOf: ({ owner }) => owner.split(' and '),
  })
  const set = (key: string, owner: string, text = key) => cache.beginRead()(key, { owner, text })
  const texts = (...keys: string[]) => keys.map((key) => cache.get(key)?.text)
  return { cache, set, texts }
}

describe('a cache of entries with owners', () => {
  test('deletes every entry of an owner, and no other', () => {
    const { cache, set, texts } = create()
    set('a', 'ada')
    set('b', 'ada')
    set('c', 'bob')
    cache.deleteOwner('ada')
    expect(texts('a', 'b', 'c')).toEqual([undefined, undefined, 'c'])
  })

  test('follows a key that passes to another owner', () => {
    const { cache, set, texts } = create()
    set('a', 'ada')
    set('a', 'bob', 'new')
    cache.deleteOwner('ada')
    expect(texts('a')).toEqual(['new'])
    cache.deleteOwner('bob')
    expect(texts('a')).toEqual([undefined])
  })

  test('deletes an entry of several owners with the first of them that changes', () => {
    const { cache, set, texts } = create()
    set('a', 'ada and bob')
    set('b', 'bob')
    cache.deleteOwner('ada')
    expect(texts('a', 'b')).toEqual([undefined, 'b'])
    set('a', 'bob', 'new')
    cache.deleteOwner('ada')
    expect(texts('a')).toEqual(['new'])
  })

  test('still deletes the rest of an owner after some was evicted', () => {
    const { cache, set, texts } = create(2)
    for (const key of ['a', 'b', 'c']) set(key, 'ada')
    expect(texts('a', 'b', 'c')).toEqual([undefined, 'b', 'c'])
    cache.deleteOwner('ada')
    expect(texts('b', 'c')).toEqual([undefined, undefined])
  })

  test.each([
    ['the owner', (cache: BoundedCache<Entry>) => cache.deleteOwner('ada')],
    ['everything', (cache: BoundedCache<Entry>) => cache.clear()],
  ])('does not store what was read before %s was deleted', (_, remove) => {
    const { cache, texts } = create()
    const store = cache.beginRead()
    remove(cache)
    store('a', { owner: 'ada', text: 'stale' })
    expect(texts('a')).toEqual([undefined])
  })

  test('loses entries at the end of their lifetime', async () => {
    const { set, texts } = create(10, 20)
    set('a', 'ada')
    await Bun.sleep(40)
    expect(texts('a')).toEqual([undefined])
  })
})
