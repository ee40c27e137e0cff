import { describe, expect, test } from 'bun:test'
import { constants, deflateRawSync, deflateSync, inflateSync } from 'node:zlib'

import { MalformedBytes } from '../../../../src/lib/bytes/varints.ts'
import { createBlockReader } from '../../../../src/lib/zip/block-reader.ts'
import { decodeBlocks, encodeBlocks, unpackBlock, type ZipBlock } from '../../../../src/lib/zip/blocks.ts'
import {
  CONTENTS_UNPACKED_MAX,
  type ContentsEntry,
  decodeContents,
  encodeContents,
} from '../../../../src/lib/zip/contents.ts'

const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251))

function openReader(blockSize: number, fail: (start: number) => boolean = () => false) {
  const reads: number[] = []
  const reader = createBlockReader(
    {
      size: bytes.length,
      async read(start, end) {
        reads.push(start)
        if (fail(start)) throw new Error('the disk is gone')
        return bytes.subarray(start, end)
      },
    },
    blockSize,
  )
  return { reader, reads }
}

describe('the block reader', () => {
  test('reads within blocks and across them', async () => {
    for (const blockSize of [7, 100, 1000, 5000]) {
      const { reader } = openReader(blockSize)
      for (const [start, length] of [
        [0, 1],
        [0, 1000],
        [95, 10],
        [999, 1],
        [300, 250],
      ] as const) {
        expect(Buffer.from(await reader.read(start, length))).toEqual(bytes.subarray(start, start + length))
      }
    }
  })

  test('streams every byte once', async () => {
    for (const blockSize of [7, 100, 1000]) {
      const { reader } = openReader(blockSize)
      const pieces = await Array.fromAsync(reader.stream(3, 900))
      expect(Buffer.concat(pieces)).toEqual(bytes.subarray(3, 903))
    }
  })

  test('asks for a block once, however many small reads it takes', async () => {
    const { reader, reads } = openReader(100)
    for (let at = 0; at < 300; at += 3) await reader.read(at, 3)
    expect(reads).toEqual([0, 100, 200])
  })

  test('fetches the next block while one is used, but none beyond the end', async () => {
    const { reader, reads } = openReader(100)
    const stream = reader.stream(50, 200)
    await stream.next()
    expect(reads).toEqual([0, 100])
    await Array.fromAsync(stream)
    expect(reads).toEqual([0, 100, 200])
  })

  test('throws the failure of the source, and tries again when asked again', async () => {
    let isDown = true
    const { reader } = openReader(100, (start) => isDown && start === 100)
    expect(Array.fromAsync(reader.stream(0, 300))).rejects.toThrow('the disk is gone')
    isDown = false
    expect(Buffer.from(await reader.read(150, 10))).toEqual(bytes.subarray(150, 160))
  })

  test('notices a source that holds fewer bytes than it said', async () => {
    const reader = createBlockReader({ size: 100, read: async () => new Uint8Array(10) }, 50)
    expect(Array.fromAsync(reader.stream(0, 100))).rejects.toThrow('fewer bytes')
  })
})

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

const randomHash = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')

function makeEntry(path: string, dataAt: number, blocks = 0, packedSize = 60_000): ContentsEntry {
  const parts = Array.from({ length: blocks }, () => ({ sha256: randomHash(), size: 130_000, packedSize }))
  return {
    path,
    dataAt,
    packed: blocks ? blocks * packedSize : 500,
    size: blocks ? blocks * 130_000 : 900,
    method: 8,
    mode: 0o100_755,
    sha256: randomHash(),
    blocks: blocks ? parts : null,
  }
}

async function encode(entries: readonly ContentsEntry[], fileSize: number): Promise<Buffer> {
  const encoded = await encodeContents(entries, fileSize)
  if (!encoded) throw new Error('It can be described')
  return encoded.document
}

describe('the contents of a zip', () => {
  test('are read as they were written, in the order of their bytes', async () => {
    const entries = [
      makeEntry('a/ünï 🎮.pck', 40, 5),
      { ...makeEntry('a/b.txt', 400_000), method: 0, mode: null },
      makeEntry('a/c.pck', 5_000_000_000, 2),
    ]
    expect(await decodeContents(await encode(entries.toReversed(), 6e9))).toEqual(entries)
    expect(await decodeContents(await encode([], 22))).toEqual([])
  })

  test('take at most 48 bytes for each of many files', async () => {
    const entries = Array.from({ length: 10_000 }, (_, at) =>
      makeEntry(`game/content/textures/forest/tree-${String(at).padStart(5, '0')}.dds`, at * 600 + 77),
    )
    expect((await encode(entries, 6e6)).length).toBeLessThan(48 * entries.length)
  })

  test('leave out blocks that would make them longer than a hundredth of the file', async () => {
    const entries = [makeEntry('tight.bin', 40, 8000, 200), makeEntry('wide.bin', 2_000_000, 400)]
    const fileSize = 26_000_000
    const document = await encode(entries, fileSize)
    expect(document.length).toBeLessThan(fileSize / 100)
    const read = await decodeContents(document)
    expect(read.map(({ blocks }) => blocks?.length ?? 0)).toEqual([0, 400])
    expect(await encodeContents(entries.slice(0, 1), 1_600_000)).toMatchObject({ hasBlocks: false })
  })

  test('of a hostile server are refused before they fill the memory', async () => {
    const document = await encode([makeEntry('a', 40, 3), makeEntry('b', 400_000)], 1e6)
    const plain = inflateSync(document)
    const bomb = deflateSync(Buffer.alloc(CONTENTS_UNPACKED_MAX + 1))
    const many = deflateSync(Buffer.from([0xff, 0xff, 0xff, 0x7f]))
    const damaged = [
      Buffer.alloc(0),
      Buffer.from('not contents'),
      document.subarray(0, -5),
      deflateSync(plain.subarray(0, -1)),
      deflateSync(Buffer.concat([plain, Buffer.from([0])])),
      bomb,
      many,
    ]
    for (const bytes of damaged) expect(decodeContents(bytes)).rejects.toBeInstanceOf(MalformedBytes)
  })

  test('with any changed byte are refused or still fit together', async () => {
    const plain = inflateSync(await encode([makeEntry('a/b', 40, 3), makeEntry('a/c', 400_000)], 1e6))
    for (let at = 0; at < plain.length; at += 1) {
      const changed = Buffer.from(plain)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      const read = await decodeContents(deflateSync(changed)).catch((error: unknown) => error)
      if (read instanceof Error) expect(read).toBeInstanceOf(MalformedBytes)
      else expect(Array.isArray(read)).toBe(true)
    }
  })
})
