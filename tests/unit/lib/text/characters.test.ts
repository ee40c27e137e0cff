import { describe, expect, test } from 'bun:test'

import {
  cutAtWord,
  cutMarkdown,
  oneLine,
  toPrintable,
  toPrintableLine,
} from '../../../../src/lib/text/characters.ts'

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
