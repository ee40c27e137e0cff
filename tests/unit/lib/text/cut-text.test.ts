import { describe, expect, test } from 'bun:test'

import { cutAtWord, cutMarkdown, oneLine } from '../../../../src/lib/text/cut-text.ts'

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
