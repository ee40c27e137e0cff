import { describe, expect, test } from 'bun:test'

import { OwnedCache } from '../../../../src/lib/cache/owned-cache.ts'

interface Entry {
  owner: string
  text: string
}

function create(maxEntries = 10, lifetimeMs = 60_000) {
  const cache = new OwnedCache<Entry>({ maxEntries, lifetimeMs, ownerOf: ({ owner }) => owner })
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

  test('still deletes the rest of an owner after some was evicted', () => {
    const { cache, set, texts } = create(2)
    for (const key of ['a', 'b', 'c']) set(key, 'ada')
    expect(texts('a', 'b', 'c')).toEqual([undefined, 'b', 'c'])
    cache.deleteOwner('ada')
    expect(texts('b', 'c')).toEqual([undefined, undefined])
  })

  test.each([
    ['the owner', (cache: OwnedCache<Entry>) => cache.deleteOwner('ada')],
    ['everything', (cache: OwnedCache<Entry>) => cache.clear()],
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
