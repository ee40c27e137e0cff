import { describe, expect, test } from 'bun:test'

import { formatBytes, parseBytes, plural } from '../../../../src/lib/text/show.ts'

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

describe('a size', () => {
  test.each([
    ['0', 0],
    ['1024', 1024],
    ['2 GB', 2 * 1024 ** 3],
    ['2gb', 2 * 1024 ** 3],
    ['1.5 TB', 1.5 * 1024 ** 4],
    [' 10 KB ', 10 * 1024],
    ['16MB', 16 * 1024 ** 2],
    ['500k', 500 * 1024],
    ['1.5 GiB', 1.5 * 1024 ** 3],
  ])('%s is read as bytes', (text, bytes) => expect(parseBytes(text)).toBe(bytes))

  test.each(['', 'GB', '-1', '1 PB', '1e9', '5 GB free', '9999999999999999 TB'])('%s is none', (text) =>
    expect(parseBytes(text)).toBeNull(),
  )

  test('is shown in the largest unit that fits', () => {
    expect([0, 1023, 1024, 1536, 300 * 1024 ** 2, 50 * 1024 ** 3, 3 * 1024 ** 5].map(formatBytes)).toEqual([
      '0 bytes',
      '1023 bytes',
      '1.0 KB',
      '1.5 KB',
      '300 MB',
      '50.0 GB',
      '3072 TB',
    ])
  })
})
