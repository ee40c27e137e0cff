import { expect, test } from 'bun:test'
import type { FileHandle } from 'node:fs/promises'

import { writeAll } from '../../../../src/cli/install/durable.ts'

/** Takes three bytes at a time, as a nearly full disk may. */
function openShort(): { written: string[]; handle: Pick<FileHandle, 'write'> } {
  const written: string[] = []
  const write = (bytes: Uint8Array, offset: number, length: number, position: number | null) => {
    const taken = bytes.subarray(offset, offset + Math.min(length, 3))
    written.push(`${new TextDecoder().decode(taken)} at ${position}`)
    return Promise.resolve({ bytesWritten: taken.length, buffer: bytes })
  }
  return { written, handle: { write: write as FileHandle['write'] } }
}

test('what a write leaves is written next, where it belongs', async () => {
  const { written, handle } = openShort()
  await writeAll(handle, new TextEncoder().encode('lanterns'), 100)
  expect(written).toEqual(['lan at 100', 'ter at 103', 'ns at 106'])
})

test('without a position it goes on at the end', async () => {
  const { written, handle } = openShort()
  await writeAll(handle, new TextEncoder().encode('lamp'))
  expect(written).toEqual(['lam at null', 'p at null'])
})
