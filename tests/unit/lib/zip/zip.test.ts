import { describe, expect, test } from 'bun:test'

import type { ByteSource } from '../../../../src/lib/zip/block-reader.ts'
import type { ZipEntry } from '../../../../src/lib/zip/directory.ts'
import { requireFairSize } from '../../../../src/lib/zip/limits.ts'
import { ZipError } from '../../../../src/lib/zip/zip-error.ts'
import { sourceOf, unpack } from '../../../helpers/files/unpack.ts'
import { makeZip } from '../../../helpers/files/zips.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3

describe('a zip', () => {
  const data = Buffer.alloc(3 * MB)
  for (let at = 0; at < data.length; at += 65_536) crypto.getRandomValues(data.subarray(at, at + 65_536))
  const zip = makeZip([
    { name: 'packed', data },
    { name: 'stored', data, method: 0 },
    { name: 'small', data: 'hello' },
  ])

  test('is read the same, wherever the borders of blocks lie', async () => {
    for (const blockSize of [997, 65_536, 8 * MB]) {
      expect(await unpack(sourceOf(zip), blockSize)).toEqual({
        packed: data.length,
        stored: data.length,
        small: 5,
      })
    }
  })

  test('may be aligned by extra fields', async () => {
    const padded = makeZip([
      { name: 'first', data: 'hello', localExtra: new Uint8Array(4001) },
      { name: 'second', data },
    ])
    expect(await unpack(sourceOf(padded), 4096)).toEqual({ first: 5, second: data.length })
  })

  test('beyond 4 GB is read to its end', async () => {
    const size = 4 * GB + 5
    const zeros = new Uint8Array(8 * MB)
    /** Of that many zeros. */
    const crc = 0xb1c2a1a3
    // The zeros are only thought: the zip is written without them, and read as if they were there.
    const sizes = { size, packedSize: size, crc, zip64: true }
    const head = makeZip([{ name: 'zeros', data: '', method: 0, ...sizes }]).subarray(0, 55)
    const rest = makeZip(
      [
        { name: 'zeros', data: '', method: 0, ...sizes, offset: 0 },
        { name: 'behind', data: 'hello', zip64: true, offset: 55 + size },
      ],
      { zip64: true, directoryOffset: size + 55 + 63 },
    )
    const tail = Buffer.from(rest.subarray(55))
    tail.writeBigUInt64LE(BigInt(55 + size + tail.length - 98), tail.length - 42 + 8)
    const source: ByteSource = {
      size: head.length + size + tail.length,
      async read(start, end) {
        const bytes = zeros.subarray(0, end - start)
        if (start > 0 && end < head.length + size) return bytes
        const own = Buffer.from(bytes)
        if (start < head.length) head.copy(own, 0, start)
        const tailAt = head.length + size
        if (end > tailAt) tail.copy(own, Math.max(0, tailAt - start), Math.max(0, start - tailAt))
        return own
      },
    }
    expect(await unpack(source)).toEqual({ zeros: size, behind: 5 })
  })

  test.each([
    ['its directory', zip.length - 1],
    ['what is packed in it', 1 * MB],
    ['what is stored in it', zip.length - 1 * MB],
  ])('that cannot be read (%s) is not called damaged', async (_, at) => {
    const failing: ByteSource = {
      size: zip.length,
      async read(start, end) {
        if (start <= at && at < end) throw new Error('the store is down')
        return zip.subarray(start, end)
      },
    }
    const failure = await unpack(failing, 4096).catch((error: unknown) => error)
    expect(failure).toMatchObject({ message: 'the store is down' })
    expect(failure).not.toBeInstanceOf(ZipError)
  })
})

describe('the size of a zip', () => {
  const entry = (size: number, packedSize: number): ZipEntry => ({
    path: 'a',
    isFolder: false,
    isDeflated: true,
    flags: 0,
    crc: 0,
    mode: null,
    offset: 0,
    until: 0,
    blockField: null,
    rawName: new Uint8Array(0),
    size,
    packedSize,
  })
  const cases: [sizes: [number, number][], isFair: boolean][] = [
    [[[GB / 4, 1]], true],
    [[[GB / 4 + 1, 1]], false],
    [[[GB + 200, (GB + 200) / 200]], true],
    [[[GB + 200, (GB + 200) / 200 - 1]], false],
    [
      [
        [GB, 1],
        [1, GB],
      ],
      true,
    ],
    [
      [
        [10 * GB, GB],
        [10 * GB, GB],
      ],
      true,
    ],
    [
      [
        [10 * GB, GB],
        [10 * GB + 1, GB],
      ],
      false,
    ],
  ]
  test.each(cases)('%j: fair %p', (sizes, isFair) => {
    const judge = () => requireFairSize(sizes.map(([size, packedSize]) => entry(size, packedSize)))
    if (isFair) judge()
    else expect(judge).toThrow(ZipError)
  })
})
