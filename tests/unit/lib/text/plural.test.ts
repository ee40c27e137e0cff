import { expect, test } from 'bun:test'

import { plural } from '../../../../src/lib/text/plural.ts'

test('a count agrees with its noun', () => {
  expect([0, 1, 2, 1200].map((count) => plural(count, 'file'))).toEqual([
    '0 files',
    '1 file',
    '2 files',
    '1,200 files',
  ])
  expect(plural(1, 'crash', 'crashes')).toBe('1 crash')
  expect(plural(2, 'file that was', 'files that were')).toBe('2 files that were')
})
