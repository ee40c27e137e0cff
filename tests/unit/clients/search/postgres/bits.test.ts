import { describe, expect, test } from 'bun:test'

import { Bitset } from '../../../../../src/clients/search/postgres/index/bitset.ts'
import { NumberLists } from '../../../../../src/clients/search/postgres/index/number-lists.ts'
import {
  addPositions,
  BLOCK_SIZE,
  decodePositions,
  encodePositions,
} from '../../../../../src/clients/search/postgres/index/positions.ts'
import { countPacked, packBits } from '../../../../../src/clients/search/postgres/query/count-facets.ts'
import { Top } from '../../../../../src/clients/search/postgres/query/top.ts'
import { createRandom } from '../../../../../src/lib/random.ts'

const random = createRandom('bits')
const drawSet = (size: number, share: number) =>
  new Set(Array.from({ length: size }, (_, position) => position).filter(() => random.chance(share)))

function bitsOf(positions: Iterable<number>): Bitset {
  const bits = new Bitset()
  for (const position of positions) bits.add(position)
  return bits
}

function positionsOf(bits: Bitset): number[] {
  const positions: number[] = []
  bits.forEach((position) => positions.push(position))
  return positions
}

describe('a set of bits', () => {
  test.each([
    [10, 0.5],
    [5000, 0.001],
    [5000, 0.5],
    [100_000, 0.9],
  ])('is like any other set: %d positions, %d filled', async (size, share) => {
    // Of different sizes, so that one has room the other has not.
    const [left, right] = [drawSet(size, share), drawSet(size * 3, share / 2)]
    const both = bitsOf(left).and(bitsOf(right))
    expect(positionsOf(both)).toEqual([...left.intersection(right)])
    expect(positionsOf(bitsOf(right).and(bitsOf(left)))).toEqual(positionsOf(both))
    expect(positionsOf(bitsOf(left).or(bitsOf(right)))).toEqual([...left.union(right)].sort((a, b) => a - b))
    expect(positionsOf(bitsOf(left).without(bitsOf(right)))).toEqual([...left.difference(right)])
    expect(bitsOf(left).count()).toBe(left.size)
    expect([...bitsOf(left).toArray()]).toEqual([...left])
    const backwards: number[] = []
    await bitsOf(left).forEachBackwards((position) => backwards.push(position))
    expect(backwards).toEqual([...left].toReversed())
    const packed = packBits(bitsOf(left))
    const common = left.intersection(right).size
    if (packed) expect(countPacked(packed, bitsOf(right))).toBe(common)
    expect(packed === null).toBe(size * share > 500)
    expect(bitsOf(right).countCommon(bitsOf(left))).toBe(common)
  })

  test('forgets positions, and has none beyond its end', () => {
    const bits = bitsOf([0, 31, 32, 4095])
    bits.delete(31)
    bits.delete(1_000_000)
    expect([0, 31, 32, 4095, 1_000_000].map((position) => bits.has(position))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
  })

  test('is not changed by what happens to a copy', () => {
    const bits = bitsOf([1, 2])
    bits.copy().and(bitsOf([1]))
    expect(positionsOf(bits)).toEqual([1, 2])
  })
})

describe('positions of a block', () => {
  test.each([0, 1, 2, 255, 256, 257, 4096])('%d come back as they were', (count) => {
    const positions = random.draw(
      Array.from({ length: BLOCK_SIZE }, (_, position) => position),
      count,
    )
    const bitmap = new Uint8Array(BLOCK_SIZE / 8)
    for (const position of positions)
      bitmap[position >> 3] = (bitmap[position >> 3] ?? 0) | (1 << (position & 7))
    const encoded = encodePositions(bitmap)
    expect(encoded.length).toBe(count < 256 ? count * 2 : BLOCK_SIZE / 8)
    expect(decodePositions(encoded)).toEqual(bitmap)
    const bits = new Bitset()
    addPositions(bits, 2, encoded)
    expect(positionsOf(bits)).toEqual(
      positions.map((position) => position + 2 * BLOCK_SIZE).sort((a, b) => a - b),
    )
  })
})

describe('lists of numbers', () => {
  test('are what they were last set to, however often', () => {
    const [lists, expected] = [new NumberLists(), new Map<number, number[]>()]
    for (let turn = 0; turn < 20_000; turn += 1) {
      const numbers = Array.from({ length: random.below(6) }, () => random.below(50))
      const position = random.below(300)
      lists.set(position, numbers)
      expected.set(position, numbers)
    }
    const marks = Uint8Array.from({ length: 50 }, (_, number) => number % 3)
    for (const [position, numbers] of expected) {
      expect(
        Array.from({ length: lists.lengthOf(position) }, (_, index) => lists.at(position, index)),
      ).toEqual(numbers)
      expect(lists.sumMarks(position, marks)).toBe(numbers.reduce((sum, number) => sum + (number % 3), 0))
    }
    const counts = new Map([...expected.values()].flat().map((number) => [number, 0]))
    for (const number of [...expected.values()].flat()) counts.set(number, (counts.get(number) ?? 0) + 1)
    expect(
      [...lists.countAll(bitsOf(expected.keys()), 50).entries()].filter(([, count]) => count > 0),
    ).toEqual([...counts].sort(([a], [b]) => a - b))
  })
})

describe('the first of many', () => {
  test.each([0, 1, 7, 100, 1000, 5000])('%d are those a sort would find', (size) => {
    const keys = [
      Uint8Array.from({ length: 1000 }, () => random.below(4)),
      Float64Array.from({ length: 1000 }, () => random.below(20)),
    ]
    const numbers = Array.from({ length: 1000 }, (_, number) => number)
    const sorted = numbers.toSorted(
      (a, b) =>
        (keys[0]?.[b] ?? 0) - (keys[0]?.[a] ?? 0) || (keys[1]?.[b] ?? 0) - (keys[1]?.[a] ?? 0) || a - b,
    )
    const top = new Top(size, keys, (a, b) => a - b)
    for (const number of random.draw(numbers, 1000)) top.offer(number)
    expect(top.sorted()).toEqual(sorted.slice(0, size))
  })
})
