import { AppError, invalidField } from '../../../errors.ts'
import type { FormFile } from '../../../http/multipart.ts'
import { type ImageFormat, sniffFormat } from '../../listings/images/inspect.ts'
import { SCREENSHOT_BYTES_MAX } from './model.ts'

export interface ScreenshotFile {
  format: ImageFormat
  /** The whole file; errors when it is too large. */
  stream: ReadableStream<Uint8Array>
}

/** As many bytes as the longest signature needs. */
const HEAD_BYTES = 12

/**
 * Reads only the signature; the rest is delivered as it arrives. null for what browsers send where no file was chosen:
 * an empty one without a name.
 */
export async function openScreenshotFile({
  filename,
  stream: source,
}: Pick<FormFile, 'filename' | 'stream'>): Promise<ScreenshotFile | null> {
  const reader = source.getReader()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < HEAD_BYTES) {
    const { done, value } = await reader.read()
    if (done) break
    head = Buffer.concat([head, value])
  }
  if (head.length === 0 && filename === '') return null
  const format = sniffFormat(head)
  if (!format) throw invalidField('screenshot', 'The screenshot is not a PNG, JPEG or WebP image.')
  let size = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = size === 0 ? head : (await reader.read()).value
        if (!bytes) return controller.close()
        size += bytes.length
        if (size > SCREENSHOT_BYTES_MAX) throw screenshotTooLarge()
        controller.enqueue(bytes)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return { format, stream }
}

function screenshotTooLarge(): AppError {
  return new AppError('too_large', {
    message: `The screenshot is larger than ${SCREENSHOT_BYTES_MAX} bytes.`,
  })
}
