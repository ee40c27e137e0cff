import { AppError, invalidField } from '../../../errors.ts'
import { peekStream } from '../../../lib/bytes/peek-stream.ts'
import type { FormFile } from '../../../lib/form/multipart.ts'
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
  const { head, whole } = await peekStream(source, ({ length }) => length >= HEAD_BYTES)
  if (head.length === 0 && filename === '') return null
  const format = sniffFormat(head)
  if (!format) throw invalidField('screenshot', 'must be a PNG, JPEG or WebP image.')
  return { format, stream: whole(SCREENSHOT_BYTES_MAX, screenshotTooLarge) }
}

function screenshotTooLarge(): AppError {
  return new AppError('too_large', {
    message: `The screenshot is larger than ${SCREENSHOT_BYTES_MAX} bytes.`,
  })
}
