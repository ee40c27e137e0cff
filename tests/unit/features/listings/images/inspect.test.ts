import { describe, expect, test } from 'bun:test'

import {
  findFault,
  fitsDeclaredType,
  sniffFormat,
} from '../../../../../src/features/listings/images/process.ts'
import { drawJpeg, drawPng, drawWebp } from '../../../../helpers/files/pictures.ts'

const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer())
const png = await bytesOf(await drawPng(32, 18))
const webp = await bytesOf(await drawWebp(32, 18))
const jpeg = await bytesOf(await drawJpeg(32, 18))
const progressive = Buffer.from(await new Bun.Image(jpeg).jpeg({ progressive: true }).bytes())
/** With a whole small JPEG as a preview inside, as cameras write it. */
const preview = Buffer.concat([
  jpeg.subarray(0, 2),
  Buffer.from([0xff, 0xe1, (jpeg.length + 2) >> 8, (jpeg.length + 2) & 0xff]),
  jpeg,
  jpeg.subarray(2),
])

describe.each([
  ['png', png],
  ['webp', webp],
  ['jpeg', jpeg],
  ['jpeg', progressive],
  ['jpeg', preview],
] as const)('%s', (format, whole) => {
  test('is known by its bytes', () => {
    expect(sniffFormat(whole)).toBe(format)
  })

  test('is whole, also with something behind its end', () => {
    expect(findFault(format, whole)).toBeNull()
    expect(findFault(format, Buffer.concat([whole, Buffer.from('more')]))).toBeNull()
  })

  test('is not whole wherever it is cut', () => {
    const signature = 12
    for (let length = signature; length < whole.length; length += 1) {
      expect(findFault(format, whole.subarray(0, length))).toBe('ends_early')
    }
  })
})

test('a JPEG may have 64 scans', () => {
  const scans = (count: number) => {
    const last = progressive.subarray(progressive.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
    const own = progressive.toString('latin1').split('\xff\xda').length - 1
    const more = Array.from({ length: count - own }, () => last)
    return Buffer.concat([progressive.subarray(0, -2), ...more, progressive.subarray(-2)])
  }
  expect(findFault('jpeg', scans(64))).toBeNull()
  expect(findFault('jpeg', scans(65))).toBe('too_many_scans')
})

test.each([
  ['png', 'image/png', true],
  ['png', 'image/x-png', true],
  ['jpeg', 'image/jpeg', true],
  ['jpeg', 'image/jpg', true],
  ['webp', 'image/webp', true],
  ['webp', 'application/octet-stream', true],
  ['png', 'text/plain', true],
  ['png', 'image/jpeg', false],
  ['jpeg', 'image/png', false],
  ['png', 'image/gif', false],
  ['png', 'image/constructor', false],
  ['webp', 'image/', false],
] as const)('%s sent as %s: %p', (format, declared, fits) => {
  expect(fitsDeclaredType(format, declared)).toBe(fits)
})
