import { describe, expect, test } from 'bun:test'

import { createBlockReader } from '../../../../src/lib/zip/block-reader.ts'

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
