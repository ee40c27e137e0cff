import { AppError } from '../../errors.ts'
import { type ByteSource, createBlockReader } from '../../lib/zip/block-reader.ts'
import type { ByteRange, ObjectStore, RangeOptions, RangeSource } from './object-store.ts'

type Readable = Pick<ObjectStore, 'get'>

/** Random access to a stored object of known size. */
export function openObjectSource(objects: Readable, key: string, size: number): ByteSource {
  return {
    size,
    async read(start, end) {
      const { stream } = await objects.get(key, { start, end: end - 1 })
      const bytes = await Bun.readableStreamToBytes(stream)
      if (bytes.length !== end - start) throw new Error(`The object ${key} ended early.`)
      return bytes
    },
  }
}

/** The bytes of all ranges. Reads in blocks, because ranges may be short and close together. */
export function streamRanges(
  objects: Readable,
  { key, size, ranges }: RangeSource,
  { signal, onBytes }: RangeOptions = {},
): ReadableStream<Uint8Array> {
  const reader = createBlockReader(openObjectSource(objects, key, size))
  async function* readAll(): AsyncGenerator<Uint8Array> {
    for (const { from, length } of ranges) {
      for await (const bytes of reader.stream(from, length)) {
        signal?.throwIfAborted()
        await onBytes?.(bytes)
        yield bytes
      }
    }
  }
  const pieces = readAll()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}

/** Resolves a range for an object of `size` bytes; null when it is empty. `end` is inclusive. */
export function resolveRange(range: ByteRange, size: number): { start: number; end: number } | null {
  const start = 'suffix' in range ? Math.max(0, size - range.suffix) : range.start
  const end = 'suffix' in range ? size - 1 : Math.min(range.end ?? size - 1, size - 1)
  return start <= end ? { start, end } : null
}

export function rangeOutside(cause?: unknown): AppError {
  return new AppError('invalid_request', { message: 'The range lies outside the object.', cause })
}
