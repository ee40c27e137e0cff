import { describe, expect, test } from 'bun:test'

import { createRandom } from '../../../../src/lib/random.ts'
import {
  cutAtWord,
  cutMarkdown,
  oneLine,
  toPrintable,
  toPrintableLine,
} from '../../../../src/lib/text/characters.ts'
import { initialsOf } from '../../../../src/lib/text/initials.ts'
import {
  hasUnfitCharacter,
  isEmail,
  parseName,
  showName,
  withoutLinks,
} from '../../../../src/lib/text/names.ts'
import { queryWordsOf, WORD_MAX, WordNumbers, wordsOf } from '../../../../src/lib/text/search-words.ts'
import { makeWords } from '../../../helpers/search/search-documents.ts'

describe('cutAtWord', () => {
  test.each([
    ['a text that fits', 'one two', 7, 'one two'],
    ['the last word goes whole', 'one two three', 9, 'one two'],
    ['a word that just fits stays', 'one two three', 7, 'one two'],
    ['a single long word is cut', 'abcdefgh', 3, 'abc'],
    ['never inside a character', 'ab💥', 3, 'ab'],
    ['no space at the end', 'one   two', 5, 'one'],
  ])('%s', (_, text, max, cut) => {
    expect(cutAtWord(text, max)).toBe(cut)
  })
})

describe('cutMarkdown', () => {
  test.each([
    ['a text that fits', 'a\n\nb', 4, 'a\n\nb'],
    ['at the end of a paragraph', 'one two\n\nthree four', 13, 'one two'],
    ['at a word, where a paragraph is too much', 'one\n\ntwo three four', 15, 'one\n\ntwo three'],
    ['without the mark of a line break', 'one two\\\nthree', 10, 'one two'],
    ['with a backslash that is meant', 'one two\\\\ three', 10, 'one two\\\\'],
  ])('%s', (_, text, max, cut) => {
    expect(cutMarkdown(text, max)).toBe(cut)
  })
})

test('oneLine leaves what can stand in a name', () => {
  expect(oneLine(' a\n\tb\u0000c\u0007 \ud800 💥 ')).toBe('a b c \ufffd 💥')
})

test.each([
  ['\u001B]0;title\u0007', String.raw`\u001b]0;title\u0007`],
  ['\u009B31m', String.raw`\u009b31m`],
  ['a\rb\u007F', String.raw`a\u000db\u007f`],
  ['exe.\u202Egpj', String.raw`exe.\u202egpj`],
  ['\u2066a\u2069\u200F', String.raw`\u2066a\u2069\u200f`],
  ['two\u2028lines', String.raw`two\u2028lines`],
])('%j steers nothing', (text, shown) => {
  expect(toPrintable(text)).toBe(shown)
})

test.each(['Größe 3 → 4', 'two\nlines\tand more', '日本語 🎮', 'किताब', 'می‌خواهم'])('%j stays', (text) => {
  expect(toPrintable(text)).toBe(text)
})

test('a line stays one line', () => {
  expect(toPrintableLine('game.zip\nerror: none')).toBe(String.raw`game.zip\nerror: none`)
})

test('escapes in JSON mean the same', () => {
  const value = { name: '\u009B2J\u202E' }
  expect(toPrintable(JSON.stringify(value))).not.toContain('\u009B')
  expect(JSON.parse(toPrintable(JSON.stringify(value)))).toEqual(value)
})

test.each([
  ['ada', 'A'],
  ['Ada Loom', 'AL'],
  ['The Lantern Works', 'TW'],
  ['lantern-works', 'LW'],
  ['студия маяк', 'СМ'],
  ['灯台工房', '灯'],
  ['ランタン 🏮', 'ラ'],
  ['🏮🏮', '🏮'],
  ['नमस्ते', 'न'],
  ['e\u0301clair', 'E\u0301'],
  ['!', '!'],
  ['ßtudio', 'SS'],
])('%s has the initials %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

describe('readName', () => {
  test.each(['Ada', 'Zoë & Friends', '!!', '🧑‍🚀', 'a'.repeat(10), '🦊'.repeat(10)])('takes %s', (name) => {
    expect(parseName(`  ${name}\n`, 10 + 5)).toBe(name)
  })

  test.each([
    '',
    ' ',
    'a\nb',
    'a\u0085b',
    'a\u2028b',
    'a\u202Eb',
    'a\u2066b',
    'a\uFEFFb',
    '\uD83E',
    '\u3164',
  ])('refuses %j', (name) => expect(parseName(name, 80)).toBeNull())

  test('counts characters as people do', () => {
    expect(parseName('🦊'.repeat(81), 80)).toBeNull()
    expect(parseName('x'.repeat(81), 80)).toBeNull()
    expect(parseName('🦊'.repeat(80), 80)).not.toBeNull()
  })
})

describe('showName', () => {
  test('makes one short line of anything', () => {
    expect(showName('a\r\nb\u2028c\u202Ed', 80)).toBe('a b c d')
    expect(showName('x '.repeat(1000), 7)).toBe('x x x x')
    expect(showName('\u200B\u3164', 80)).toBe('')
    expect(hasUnfitCharacter(showName('\uD83E!', 80))).toBe(false)
  })
})

describe('withoutLinks', () => {
  test.each([
    ['https://evil.example/x', 'https: //evil. example/x'],
    ['www.evil.example', 'www. evil. example'],
    ['mail me@evil.example', 'mail me@evil. example'],
    ['evil。example', 'evil. example'],
    ['Dr. Who 2.0', 'Dr. Who 2.0'],
    ['Version 1.2.3', 'Version 1.2.3'],
  ])('%s is shown as %s', (text, shown) => expect(withoutLinks(text)).toBe(shown))
})

describe('an e-mail address', () => {
  test.each([
    'press@example.org',
    'a@b.co',
    'first.last+press@mail.example.co.uk',
    "o'brien_1@xn--bcher-kva.example",
    `${'x'.repeat(64)}@example.org`,
  ])('%s is one', (text) => {
    expect(isEmail(text)).toBe(true)
  })

  test.each([
    '',
    'press',
    'press@',
    '@example.org',
    'press@localhost',
    'press@@example.org',
    'a@b@example.org',
    'press@example..org',
    'press@.example.org',
    'press@example.org.',
    'press@-example.org',
    'press@example-.org',
    '.press@example.org',
    'press.@example.org',
    'pr..ess@example.org',
    'pr ess@example.org',
    ' press@example.org',
    'press@example.org\n',
    'Press <press@example.org>',
    'mailto:press@example.org',
    '"press"@example.org',
    'prëss@example.org',
    `${'x'.repeat(65)}@example.org`,
    `press@${'x'.repeat(64)}.org`,
    `press@${'example.'.repeat(32)}org`,
  ])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false)
  })
})

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
