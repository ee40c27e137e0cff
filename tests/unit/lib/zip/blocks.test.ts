import { describe, expect, test } from 'bun:test'
import { constants, deflateRawSync } from 'node:zlib'

import { decodeBlocks, encodeBlocks, unpackBlock, type ZipBlock } from '../../../../src/lib/zip/blocks.ts'

const KIB = 1024
const sumOf = (blocks: readonly ZipBlock[]): ZipBlock => ({
  size: blocks.reduce((sum, { size }) => sum + size, 0),
  packedSize: blocks.reduce((sum, { packedSize }) => sum + packedSize, 0),
})

describe('the field that names blocks', () => {
  const blocks = [
    { size: 100 * KIB, packedSize: 60 * KIB },
    { size: 130 * KIB, packedSize: 80 },
    { size: 5, packedSize: 7 },
  ]

  test('is read as it was written', () => {
    const field = encodeBlocks(blocks)
    expect(field && decodeBlocks(field, sumOf(blocks))).toEqual(blocks)
  })

  test('is left out for one block, and where it would not fit into the directory', () => {
    expect(encodeBlocks(blocks.slice(0, 1))).toBeNull()
    expect(
      encodeBlocks(Array.from({ length: 20_000 }, () => ({ size: 32 * KIB, packedSize: 20_000 }))),
    ).toBeNull()
    expect(
      encodeBlocks(Array.from({ length: 10_900 }, () => ({ size: 32 * KIB, packedSize: 20_000 }))),
    ).not.toBeNull()
  })

  test('never holds the mark of a part of a zip', () => {
    // "P", "K", 1 and 2 as sizes.
    const marks = [0x50, 0x4b, 1, 2].map((packedSize) => ({ size: 16 * KIB, packedSize }))
    const field = encodeBlocks([...marks, ...marks])
    expect(field?.includes('PK')).toBe(false)
    for (let size = 16 * KIB; size < 48 * KIB; size += 1) {
      expect(encodeBlocks([{ size, packedSize: size - 16_000 }, ...marks])?.includes('PK')).toBe(false)
    }
  })

  test('with other numbers than those of the entry is ignored', () => {
    const field = encodeBlocks(blocks) ?? Buffer.alloc(0)
    const { size, packedSize } = sumOf(blocks)
    const wrong: [Uint8Array, ZipBlock][] = [
      [Buffer.alloc(0), { size, packedSize }],
      [field.subarray(0, 1), { size, packedSize }],
      [field.subarray(0, -1), { size, packedSize }],
      [Buffer.concat([Buffer.from([2]), field.subarray(1)]), { size, packedSize }],
      [Buffer.concat([Buffer.from([1]), Buffer.alloc(65_000, 0xff)]), { size, packedSize }],
      [Buffer.concat([Buffer.from([1]), Buffer.alloc(65_000)]), { size, packedSize }],
      // A number of nothing but leading zeros.
      [Buffer.concat([Buffer.from([1]), Buffer.alloc(400, 0x80), Buffer.from([0])]), { size, packedSize }],
      [field, { size: 230 * KIB, packedSize }],
      [field, { size: 10 * KIB, packedSize }],
      [field, { size, packedSize: 60 * KIB + 80 }],
      [field, { size: 40 * 1024 * KIB, packedSize }],
      [field, { size, packedSize: 10 * 1024 * KIB }],
    ]
    for (const [bytes, entry] of wrong) expect(decodeBlocks(bytes, entry)).toBeNull()
  })

  test('of random bytes is read or ignored, and never fails', () => {
    for (let round = 0; round < 2000; round += 1) {
      const bytes = crypto.getRandomValues(new Uint8Array(round % 64))
      bytes[0] = 1
      const read = decodeBlocks(bytes, { size: 10 * 1024 * KIB, packedSize: 5 * 1024 * KIB })
      if (read) expect(sumOf(read)).toEqual({ size: 10 * 1024 * KIB, packedSize: 5 * 1024 * KIB })
    }
  })
})

const BLOCK = { isDeflated: true }

test.each([0, 1, 62, 63, 64, 65, 1000])('a deflated block of %i bytes is unpacked alone', async (size) => {
  const content = Buffer.alloc(size, 'abc')
  for (const finishFlush of [constants.Z_FINISH, constants.Z_FULL_FLUSH]) {
    const packed = deflateRawSync(content, { finishFlush })
    const block = { size, packedSize: packed.length }
    expect(await unpackBlock(packed, block, BLOCK)).toEqual(content)
    expect(await unpackBlock(packed, { ...block, size: size + 1 }, BLOCK)).toBeNull()
    if (size > 0) expect(await unpackBlock(packed, { ...block, size: size - 1 }, BLOCK)).toBeNull()
  }
})
