import { describe, expect, test } from 'bun:test'

import { createRandom } from '../../../../src/lib/random.ts'
import { queryWordsOf, WORD_MAX, WordNumbers, wordsOf } from '../../../../src/lib/text/search-words.ts'
import { makeWords } from '../../../helpers/search/search-documents.ts'

describe('words', () => {
  test.each([
    ['Lantern Keeper', ['lantern', 'keeper']],
    ['  Tower-Defense_2: "Redux"! ', ['tower', 'defense', '2', 'redux']],
    ['don’t', ['don', 't']],
    ['Café Ñandú Ångström', ['cafe', 'nandu', 'angstrom']],
    ['Straße Ørsted Łódź Æther', ['strasse', 'orsted', 'lodz', 'aether']],
    ['İstanbul ISTANBUL', ['istanbul', 'istanbul']],
    ['ﬁne ① Ｗｉｄｅ', ['fine', '1', 'wide']],
    ['Привет, Йога', ['привет', 'иога']],
    ['한글 게임', ['한글', '게임']],
    ['星の灯台2', ['星', 'の', '灯', '台', '2']],
    ['हिन्दी', ['हिन्दी']],
    ['🎮 …', []],
    ['', []],
  ])('%p', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  test('are the same for composed and decomposed letters', () => {
    expect(wordsOf('café'.normalize('NFD'))).toEqual(wordsOf('café'.normalize('NFC')))
  })

  test('are cut where they are too long', () => {
    expect(wordsOf('a'.repeat(100))).toEqual(['a'.repeat(WORD_MAX)])
  })

  test('of a query are asked for once, the last one may be there again', () => {
    expect(queryWordsOf('la La keeper la')).toEqual(['la', 'keeper', 'la'])
    expect(queryWordsOf(' ')).toEqual([])
    expect(queryWordsOf(Array.from({ length: 500 }, (_, at) => `w${at}`).join(' '))).toHaveLength(16)
  })
})

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
