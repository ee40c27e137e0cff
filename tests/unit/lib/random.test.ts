import { describe, expect, test } from 'bun:test'

import { createRandom } from '../../../src/lib/random.ts'

const throwTen = (seed: number | string) => {
  const random = createRandom(seed)
  return Array.from({ length: 10 }, () => random.next())
}

describe('random', () => {
  test.each([[7], ['a word']])('with the seed %p fall the same way every time', (seed) => {
    expect(throwTen(seed)).toEqual(throwTen(seed))
  })

  test('with another seed fall another way', () => {
    expect(throwTen(1)).not.toEqual(throwTen(2))
    expect(throwTen('one')).not.toEqual(throwTen('two'))
  })

  test('keep to their limits', () => {
    const random = createRandom(3)
    for (let round = 0; round < 1000; round += 1) {
      expect([0, 1, 2]).toContain(random.below(3))
      const between = random.between(-1, 2)
      expect(between >= -1 && between < 2).toBe(true)
    }
    expect(random.chance(0)).toBe(false)
    expect(random.chance(1)).toBe(true)
  })

  test('draw each item once, and no more than there are', () => {
    const drawn = createRandom(5).draw(['a', 'b', 'c'], 9)
    expect(new Set(drawn)).toEqual(new Set(['a', 'b', 'c']))
    expect(drawn).toHaveLength(3)
  })

  test('cannot pick from nothing', () => {
    expect(() => createRandom(1).pick([])).toThrow('Nothing to pick from')
  })
})
