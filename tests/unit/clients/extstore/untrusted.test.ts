import { expect, test } from 'bun:test'

import {
  accountIdOf,
  flagOf,
  listOf,
  numberOf,
  parseUntrusted,
  textOf,
} from '../../../../src/clients/extstore/request.ts'

test('ids beyond 2^53 keep every digit, whether they come as numbers or as texts', () => {
  const text =
    '{"a":76561198000000001,"b":"76561198000000001","c":[18446744073709551615],"d":1.5,"e":"1e400"}'
  expect(parseUntrusted(text)).toEqual({
    a: '76561198000000001',
    b: '76561198000000001',
    c: ['18446744073709551615'],
    d: 1.5,
    e: '1e400',
  })
})

test.each([
  ['76561198000000001', '76561198000000001'],
  [' 76561198000000001 ', '76561198000000001'],
  [480, '480'],
  ['18446744073709551615', '18446744073709551615'],
  ['18446744073709551616', null],
  ['99999999999999999999', null],
  ['0', null],
  [0, null],
  ['-1', null],
  ['1.5', null],
  ['7656119800000000x', null],
  ['', null],
  [null, null],
  [undefined, null],
  [['1'], null],
])('account id %p is %p', (value, expected) => {
  expect(accountIdOf(value)).toBe(expected)
})

test.each([
  [7, 7],
  ['17+', 17],
  ['0', 0],
  ['', null],
  ['x', null],
  [-1, null],
  [1.5, null],
  [null, null],
  [{}, null],
])('number %p is %p', (value, expected) => {
  expect(numberOf(value)).toBe(expected)
})

test('flags, lists and texts of other types', () => {
  expect([true, 1, '1', 'true'].map(flagOf)).toEqual([true, true, true, true])
  expect([false, 0, '0', 'false', null, undefined, {}, []].some(flagOf)).toBe(false)
  expect([listOf([null, 1, undefined]), listOf({}), listOf(null), listOf('x')]).toEqual([[1], [], [], []])
  expect([textOf(' x '), textOf(7), textOf(null), textOf([]), textOf({})]).toEqual(['x', '7', '', '', ''])
})

test('a text has nothing that cannot be stored', () => {
  expect(textOf(' a\0b\ud800 ')).toBe('ab\ufffd')
})

test('an answer that is nested too deep is none', () => {
  expect(() => parseUntrusted('['.repeat(100_000))).toThrow('too many levels')
})
