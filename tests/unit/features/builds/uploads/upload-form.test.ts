import { describe, expect, test } from 'bun:test'

import { lengthOf, parseContentRange } from '../../../../../src/features/builds/uploads/chunks.ts'
import { requestMs } from '../../../../../src/features/builds/uploads/upload-form.ts'

const MINUTE = 60_000
const KB512 = 512 * 1024

describe('the time of a request', () => {
  test.each([
    [0, 5 * MINUTE],
    [KB512, 5 * MINUTE + 1000],
    [16 * 1024 ** 2, 5 * MINUTE + 32_000],
    [5 * 1024 ** 3, 175 * MINUTE + 40_000],
    [6 * 1024 ** 3, 180 * MINUTE],
  ])('of %i bytes is %i ms', (bytes, ms) => {
    expect(requestMs(bytes)).toBe(ms)
  })
})

describe('Content-Range', () => {
  test.each([
    ['bytes 0-0/1', { start: 0, end: 0, total: 1 }, 1],
    [
      'bytes 16777216-33554431/104857600',
      { start: 16_777_216, end: 33_554_431, total: 104_857_600 },
      16_777_216,
    ],
    [' Bytes 5-9/10 ', { start: 5, end: 9, total: 10 }, 5],
  ])('%p is read', (header, range, length) => {
    expect(parseContentRange(header)).toEqual(range)
    expect(lengthOf(range)).toBe(length)
  })

  test.each([null, '', 'bytes', 'bytes 0-0', 'bytes 0-0/*', 'bytes */10', 'bytes 1-0/10', 'bytes 0-10/10'])(
    '%p is none',
    (header) => {
      expect(parseContentRange(header)).toBeNull()
    },
  )
})
