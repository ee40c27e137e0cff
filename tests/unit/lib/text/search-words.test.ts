import { describe, expect, test } from 'bun:test'

import { queryWordsOf, WORD_MAX, wordsOf } from '../../../../src/lib/text/search-words.ts'

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
