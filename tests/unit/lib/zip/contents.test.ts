import { describe, expect, test } from 'bun:test'
import { deflateSync, inflateSync } from 'node:zlib'

import { MalformedBytes } from '../../../../src/lib/bytes/varints.ts'
import {
  CONTENTS_UNPACKED_MAX,
  type ContentsEntry,
  decodeContents,
  encodeContents,
} from '../../../../src/lib/zip/contents.ts'

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
