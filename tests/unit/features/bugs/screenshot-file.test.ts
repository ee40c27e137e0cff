import { describe, expect, test } from 'bun:test'

import { openScreenshotFile } from '../../../../src/features/bugs/reports/receive.ts'
import { failureOf } from '../../../helpers/site/forms.ts'

const MB = 1024 ** 2
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Counts how much was read from the sender. */
function createSource(first: Uint8Array, pieces: number) {
  const sent = { pieces: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent.pieces > pieces) return controller.close()
        controller.enqueue(sent.pieces === 0 ? first : new Uint8Array(MB))
        sent.pieces += 1
      },
    },
    { highWaterMark: 0 },
  )
  return { sent, file: { filename: 'a.png', stream } }
}

describe('a screenshot', () => {
  test('is passed on as it arrives, never read ahead', async () => {
    const { sent, file } = createSource(PNG, 32)
    const opened = await openScreenshotFile(file)
    const reader = opened?.stream.getReader()
    const before = sent.pieces
    let size = 0
    for (let n = 0; n < 5; n += 1) size += (await reader?.read())?.value?.length ?? 0
    expect([before, sent.pieces]).toEqual([2, 6])
    expect(size).toBe(PNG.length + 5 * MB)
  })

  test('fails once it is larger than 32 MiB, without reading the rest', async () => {
    const { sent, file } = createSource(PNG, 1000)
    const opened = await openScreenshotFile(file)
    const whole = new Response(opened?.stream).arrayBuffer()
    expect(await failureOf(whole)).toMatchObject({ status: 413, code: 4130 })
    expect(sent.pieces).toBeLessThan(35)
  })

  test.each([
    ['png', PNG],
    ['jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0])],
    ['webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1')],
  ] as const)('is recognised by its bytes: %s', async (format, bytes) => {
    expect(await openScreenshotFile(createSource(bytes, 1).file)).toMatchObject({ format })
  })

  test('an empty file without a name is none', async () => {
    const stream = new Blob([]).stream()
    expect(await openScreenshotFile({ filename: '', stream })).toBeNull()
  })
})
