import { describe, expect, test } from 'bun:test'

import { SYMBOLS_BYTES_MAX } from '../../../../src/features/builds/symbols/model.ts'
import { openSymbolFile } from '../../../../src/features/builds/symbols/upload.ts'

const LINE = Buffer.from('MODULE Linux x86_64 6ADAC5A0F1E94A7FB2A3C1D0E5F607180 lighthouse\n')
const BLOCK = new Uint8Array(8 * 1024 * 1024)

/** The line, and so many bytes behind it. */
function symbolsOf(line: Uint8Array, more: number): ReadableStream<Uint8Array> {
  let left = more
  let isFirst = true
  return new ReadableStream({
    pull(controller) {
      if (isFirst) controller.enqueue(line)
      else if (left === 0) controller.close()
      else {
        const piece = BLOCK.subarray(0, left)
        left -= piece.length
        controller.enqueue(piece)
      }
      isFirst = false
    },
  })
}

async function countBytes(stream: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0
  for await (const bytes of stream) size += bytes.length
  return size
}

describe('a symbol file', () => {
  test('of exactly 512 MB is read to its end', async () => {
    const { stream } = await openSymbolFile(symbolsOf(LINE, SYMBOLS_BYTES_MAX - LINE.length))
    expect(await countBytes(stream)).toBe(SYMBOLS_BYTES_MAX)
  })

  test('of one byte more breaks off as too large', async () => {
    const { stream } = await openSymbolFile(symbolsOf(LINE, SYMBOLS_BYTES_MAX - LINE.length + 1))
    expect(await countBytes(stream).catch((error: unknown) => error)).toMatchObject({
      kind: 'upload_too_large',
    })
  })

  test('may arrive byte by byte', async () => {
    let at = 0
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at === LINE.length) return controller.close()
        controller.enqueue(LINE.subarray(at, at + 1))
        at += 1
      },
    })
    const file = await openSymbolFile(source)
    expect(file).toMatchObject({ module: 'lighthouse', debugId: '6ADAC5A0F1E94A7FB2A3C1D0E5F607180' })
    expect(await new Response(file.stream).text()).toBe(LINE.toString())
  })
})
