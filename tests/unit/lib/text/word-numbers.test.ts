import { expect, test } from 'bun:test'

import { createRandom } from '../../../../src/lib/random.ts'
import { wordsOf } from '../../../../src/lib/text/search-words.ts'
import { WordNumbers } from '../../../../src/lib/text/word-numbers.ts'
import { makeWords } from '../../../helpers/search/search-documents.ts'

/** What the numbers stand for must be the words of the text. */
function readBack(numbers: WordNumbers, text: string): (string | undefined)[] {
  return numbers.numbersOf(text).map((number) => numbers.words[number])
}

test.each([
  [''],
  ['   '],
  ["The quick Fox's 2nd DEN, (again) the fox-den!"],
  ['ends with a word'],
  [`${'a'.repeat(40)} ${'a'.repeat(41)}b ${'a'.repeat(39)}`],
  ['Éclair à la crème, Straße, ĳssel, 東京タワー and tokyo'],
  ['one\u00a0two\u2028three\ufefffour'],
  ['𝔘𝔫𝔦𝔠𝔬𝔡𝔢 x'],
])('%p has the words that searches look for', (text) => {
  expect(readBack(new WordNumbers(), text)).toEqual(wordsOf(text))
})

test('equal words have equal numbers, also among many', () => {
  const numbers = new WordNumbers()
  const random = createRandom('numbers')
  const words = makeWords('numbers', 20_000)
  for (let count = 0; count < 300; count += 1) {
    const text = random.draw(words, 100).join(count % 3 === 0 ? ' é ' : ' ')
    expect(readBack(numbers, text)).toEqual(wordsOf(text))
  }
  expect(new Set(numbers.words).size).toBe(numbers.words.length)
})
