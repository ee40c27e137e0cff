import { describe, expect, test } from 'bun:test'

import { createBriefCache } from '../../../../src/features/catalog/pages/brief-cache.ts'
import { KeptPages } from '../../../../src/features/catalog/pages/kept-pages.ts'

describe('kept pages', () => {
  const page = (uid: string, characters = 1) => ({
    uid,
    state: '',
    keptAt: 0,
    answer: { body: 'x'.repeat(characters), etag: '', contentType: '' },
  })
  const refs = ['a', 'b', 'c', 'd']
  const present = (pages: KeptPages) => refs.filter((ref) => pages.get(ref) !== undefined)

  test('past their number the oldest goes first', () => {
    const pages = new KeptPages({ pages: 2, characters: 100 })
    for (const ref of ['a', 'b', 'a', 'c']) pages.set(ref, page(ref))
    expect(present(pages)).toEqual(['a', 'c'])
  })

  test('past their characters the oldest go first', () => {
    const pages = new KeptPages({ pages: 10, characters: 100 })
    for (const ref of refs) pages.set(ref, page(ref, 40))
    expect(present(pages)).toEqual(['c', 'd'])
    pages.set('a', page('a', 101))
    expect(present(pages)).toEqual([])
    pages.set('b', page('b', 100))
    expect(present(pages)).toEqual(['b'])
  })

  test('a listing goes with all its names', () => {
    const pages = new KeptPages({ pages: 10, characters: 100 })
    pages.set('a', page('one', 50))
    pages.set('b', page('one', 10))
    pages.set('c', page('two', 30))
    pages.dropListing('one')
    expect(present(pages)).toEqual(['c'])
    pages.set('d', page('three', 70))
    expect(present(pages)).toEqual(['c', 'd'])
  })
})

describe('a brief cache', () => {
  test('makes an answer once while it lives, however many ask', async () => {
    const cache = createBriefCache(60_000, 2)
    let made = 0
    const make = async () => ({ made: (made += 1) })
    const [one, two] = await Promise.all([cache.read('a', make), cache.read('a', make)])
    expect(one).toBe(two)
    expect(one.body).toBe('{"success":true,"data":{"made":1}}')
  })

  test('makes it again when its time is over', async () => {
    const cache = createBriefCache(0, 2)
    let made = 0
    const make = async () => ({ made: (made += 1) })
    await cache.read('a', make)
    await cache.read('a', make)
    expect(made).toBe(2)
  })

  test('keeps no more than its bound, and no failure', async () => {
    const cache = createBriefCache(60_000, 2)
    let made = 0
    const make = async () => ({ made: (made += 1) })
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await cache.read(key, make)
    expect(made).toBe(4)
    expect(cache.read('x', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    await Promise.resolve()
    expect((await cache.read('x', make)).body).toContain('"made":5')
  })
})
