import { expect, test } from 'bun:test'

import { toPrintable, toPrintableLine } from '../../../../src/lib/text/printable.ts'

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
