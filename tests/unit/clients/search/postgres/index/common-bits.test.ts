import { expect, test } from 'bun:test'

import {
  countCommonBits,
  countOneByOne,
} from '../../../../../../src/clients/search/postgres/index/common-bits.ts'
import { createRandom } from '../../../../../../src/lib/random.ts'

const random = createRandom('common bits')
const drawWords = (length: number) => Int32Array.from({ length }, () => random.below(2 ** 32))
const countOf = (words: Int32Array) =>
  words.reduce((sum, word) => sum + (word >>> 0).toString(2).replaceAll('0', '').length, 0)

// Longer than the memory of the module, and shorter again.
test.each([0, 1, 15, 16, 17, 1000, 40_000, 100])('counts the bits that sets of %d words share', (length) => {
  const words = drawWords(length)
  const others = [length, 0, 1, length >> 1, length + 1, length * 2].map(drawWords)
  const expected = others.map((other) => countOf(words.map((word, index) => word & (other[index] ?? 0))))
  expect(countCommonBits(words, others)).toEqual(expected)
  expect(countOneByOne(words, others)).toEqual(expected)
})

test('uses vector instructions where the processor has them', () => {
  expect(countCommonBits).not.toBe(countOneByOne)
})
