import type { ObjectStore } from '../../src/clients/objects/object-store.ts'

export const MIB = 1024 * 1024

/** Bytes that differ at every offset, so that a lost or doubled block shows. */
export function makeBytes(size: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(size / 4))
  for (let index = 0; index < words.length; index++) words[index] = Math.imul(index + 1, 2_654_435_761)
  return new Uint8Array(words.buffer, 0, size)
}

export function streamOf(bytes: Uint8Array, chunkSize = 64 * 1024): ReadableStream<Uint8Array> {
  let offset = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (offset >= bytes.length) return controller.close()
        controller.enqueue(bytes.slice(offset, (offset += chunkSize)))
      },
    },
    { highWaterMark: 0 },
  )
}

export function failingStream(bytes: Uint8Array, error: Error): ReadableStream<Uint8Array> {
  const good = streamOf(bytes).getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await good.read()
      if (done) controller.error(error)
      else controller.enqueue(value)
    },
  })
}

export async function readAll(objects: ObjectStore, key: string): Promise<Uint8Array> {
  return Bun.readableStreamToBytes((await objects.get(key)).stream)
}

/** Large arrays are compared as one: a differing byte would print millions. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}
