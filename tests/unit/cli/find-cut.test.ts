import { describe, expect, test } from 'bun:test'

import { blockSizesFor, findCut } from '../../../src/cli/pack/find-cut.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** The same bytes in every run. */
function makeBytes(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size)
  let state = seed
  for (let at = 0; at + 4 <= size; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    bytes.writeInt32LE(state ^ (state >>> 15), at)
  }
  return bytes
}

function cut(bytes: Buffer): Buffer[] {
  const sizes = blockSizesFor(bytes.length)
  const blocks: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = findCut(bytes, at, bytes.length, sizes)
    blocks.push(bytes.subarray(at, end))
    at = end
  }
  return blocks
}

const hashesOf = (blocks: readonly Buffer[]) => blocks.map((block) => Bun.SHA256.hash(block, 'hex'))

/** The bytes of the blocks that the other content does not have. */
function sizeOfNew(blocks: readonly Buffer[], others: readonly Buffer[]): number {
  const known = new Set(hashesOf(others))
  return hashesOf(blocks).reduce(
    (sum, hash, at) => (known.has(hash) ? sum : sum + (blocks[at]?.length ?? 0)),
    0,
  )
}

describe('blocks', () => {
  const content = makeBytes(24 * MIB)
  const blocks = cut(content)

  test('are of about 128 KiB, neither small nor huge', () => {
    const { min, max } = blockSizesFor(content.length)
    expect(content.length / blocks.length).toBeWithin(100 * 1024, 180 * 1024)
    for (const block of blocks.slice(0, -1)) expect(block.length).toBeWithin(min, max + 1)
  })

  test('of a file change only near an insertion, a removal or a change', () => {
    const inserted = Buffer.concat([makeBytes(1000, 7), content])
    const removed = Buffer.concat([content.subarray(0, 5 * MIB), content.subarray(5 * MIB + 333)])
    const changed = Buffer.concat([
      content.subarray(0, 9 * MIB),
      makeBytes(40, 3),
      content.subarray(9 * MIB + 40),
    ])
    for (const other of [inserted, removed, changed]) {
      expect(sizeOfNew(cut(other), blocks)).toBeLessThan(3 * blockSizesFor(content.length).max)
    }
  })

  test('of content without any variety end at the largest size', () => {
    const { max } = blockSizesFor(4 * MIB)
    expect(cut(Buffer.alloc(4 * MIB)).map(({ length }) => length)).toEqual(Array((4 * MIB) / max).fill(max))
  })

  test('are larger for larger files, so that their list stays short', () => {
    for (const size of [MIB, GIB, 3 * GIB, 20 * GIB]) {
      expect(size / blockSizesFor(size).average).toBeLessThanOrEqual(8192)
    }
    // A file of 1 GB that grows a little keeps its blocks.
    expect(blockSizesFor(GIB + MIB).average).toBe(128 * 1024)
    expect(blockSizesFor(3 * GIB).average).toBe(512 * 1024)
  })
})
