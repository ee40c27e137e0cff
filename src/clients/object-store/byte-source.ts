import type { ByteSource } from '../../lib/zip/block-reader.ts'
import type { ObjectStore } from './object-store.ts'

/** Random access to a stored object of known size. */
export function openObjectSource(store: ObjectStore, key: string, size: number): ByteSource {
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
