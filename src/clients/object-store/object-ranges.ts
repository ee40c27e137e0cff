import { type ByteSource, createBlockReader } from '../../lib/zip/block-reader.ts'
import type { ObjectStore, RangeOptions, RangeSource } from './object-store.ts'

type Readable = Pick<ObjectStore, 'get'>

/** Random access to a stored object of known size. */
export function openObjectSource(store: Readable, key: string, size: number): ByteSource {
  return {
    size,
    async read(start, end) {
      const { stream } = await store.get(key, { start, end: end - 1 })
      const bytes = await Bun.readableStreamToBytes(stream)
      if (bytes.length !== end - start) throw new Error(`The object ${key} ended early.`)
      return bytes
    },
  }
}

/** The bytes of all ranges. Reads in blocks, because ranges may be short and close together. */
export function streamRanges(
  store: Readable,
  { key, size, ranges }: RangeSource,
  { signal, onBytes }: RangeOptions = {},
): ReadableStream<Uint8Array> {
  const reader = createBlockReader(openObjectSource(store, key, size))
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
