import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'

import { cropPicture, decodePng, encodePng, type Picture } from '../../../../src/lib/bytes/png.ts'

/** Smooth in one half and noisy in the other, so that encoders choose different filters for its rows. */
function draw(width: number, height: number, channels: 3 | 4): Picture {
  const pixels = new Uint8Array(width * height * channels)
  for (let at = 0; at < pixels.length; at += 1) {
    const y = Math.floor(at / (width * channels))
    pixels[at] = y < height / 2 ? (at % (width * channels)) + y * 3 : Math.imul(at, 2_654_435_761) >>> 13
  }
  if (channels === 4) for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255
  return { width, height, channels, pixels }
}

const asRgba = async (png: Uint8Array, compressionLevel: number) =>
  decodePng(await new Bun.Image(png).png({ compressionLevel }).bytes())

describe('PNG', () => {
  test.each([
    [1, 1, 3],
    [1, 1, 4],
    [7, 5, 3],
    [64, 33, 4],
  ] as const)('what is written is read again: %i×%i, %i channels', (width, height, channels) => {
    const picture = draw(width, height, channels)
    expect(decodePng(encodePng(picture))).toEqual(picture)
  })

  test.each([0, 1, 6, 9])('reads what Bun.Image writes at level %i', async (level) => {
    const picture = draw(64, 48, 4)
    expect(await asRgba(encodePng(picture), level)).toEqual(picture)
  })

  test('Bun.Image reads what is written, with and without alpha', async () => {
    const { pixels } = await asRgba(encodePng(draw(16, 8, 3)), 0)
    const expected = draw(16, 8, 3).pixels
    expect([...pixels].filter((_, at) => at % 4 !== 3)).toEqual([...expected])
    expect(pixels.filter((_, at) => at % 4 === 3).every((alpha) => alpha === 255)).toBe(true)
  })

  test.each([1, 2, 3, 4])('undoes filter %i', (filter) => {
    const picture = draw(9, 6, 3)
    expect(decodePng(writeFiltered(picture, filter)).pixels).toEqual(picture.pixels)
  })

  test('crops an area', () => {
    const pixels = Uint8Array.from({ length: 4 * 3 * 3 }, (_, at) => Math.floor(at / 3))
    const cropped = cropPicture(
      { width: 4, height: 3, channels: 3, pixels },
      { left: 1, top: 1, width: 2, height: 2 },
    )
    expect(cropped).toMatchObject({ width: 2, height: 2 })
    expect([...cropped.pixels]).toEqual([5, 5, 5, 6, 6, 6, 9, 9, 9, 10, 10, 10])
  })

  test('refuses an area that is not inside, and pixels that do not fit', () => {
    const picture = draw(4, 4, 3)
    expect(() => cropPicture(picture, { left: 2, top: 0, width: 3, height: 1 })).toThrow('not inside')
    expect(() => encodePng({ ...picture, width: 5 })).toThrow('do not fit')
  })

  test.each([
    ['text', Buffer.from('no picture at all')],
    ['nothing', new Uint8Array()],
    ['a signature alone', encodePng(draw(2, 2, 3)).subarray(0, 8)],
    ['half a picture', encodePng(draw(40, 40, 3)).subarray(0, 600)],
    ['an interlaced one', patch(encodePng(draw(2, 2, 3)), 28, 1)],
    ['16 bits a channel', patch(encodePng(draw(2, 2, 3)), 24, 16)],
    ['a palette', patch(encodePng(draw(2, 2, 3)), 25, 3)],
    ['more rows than it declares', patch(encodePng(draw(2, 200, 3)), 23, 1)],
    ['fewer rows than it declares', patch(encodePng(draw(2, 2, 3)), 23, 9)],
    ['an unknown filter', writeFiltered(draw(2, 2, 3), 5)],
  ])('does not read %s', (_, bytes) => {
    expect(() => decodePng(bytes)).toThrow()
  })
})

function patch(png: Uint8Array, at: number, value: number): Uint8Array {
  const changed = png.slice()
  changed[at] = value
  return changed
}

/** The same picture with every row under one filter. */
function writeFiltered({ width, height, channels, pixels }: Picture, filter: number): Uint8Array {
  const rowBytes = width * channels
  const rows = new Uint8Array((rowBytes + 1) * height)
  for (let y = 0; y < height; y += 1) {
    rows[y * (rowBytes + 1)] = filter
    for (let x = 0; x < rowBytes; x += 1) {
      const at = y * rowBytes + x
      const left = x >= channels ? (pixels[at - channels] ?? 0) : 0
      const above = y > 0 ? (pixels[at - rowBytes] ?? 0) : 0
      const corner = y > 0 && x >= channels ? (pixels[at - rowBytes - channels] ?? 0) : 0
      const guess = left + above - corner
      const paeth = [left, above, corner].reduce((best, next) =>
        Math.abs(guess - next) < Math.abs(guess - best) ? next : best,
      )
      const predicted = [0, left, above, (left + above) >> 1, paeth][filter] ?? 0
      rows[y * (rowBytes + 1) + 1 + x] = (pixels[at] ?? 0) - predicted
    }
  }
  const plain = encodePng({ width, height, channels, pixels })
  const header = plain.subarray(0, 33)
  const data = deflateSync(rows)
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write('IDAT', 4, 'latin1')
  chunk.set(data, 8)
  return Buffer.concat([header, chunk])
}
