import { expect, test } from 'bun:test'
import { constants, deflateRawSync } from 'node:zlib'

import { unpackBlock } from '../../../../src/lib/zip/block-check.ts'

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
