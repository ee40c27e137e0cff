import { createCollector } from '../../../lib/flow/collect-garbage.ts'
import type { Body, WriteOptions } from '../object-store.ts'

/** Pieces that are not released are garbage until the next full collection. */
const collect = createCollector(128 * 1024 ** 2)

/** Yields the chunks of a body as they arrive. Stopping early or aborting cancels the rest. */
export async function* readPieces(
  body: Body,
  { signal, release }: WriteOptions = {},
): AsyncGenerator<Uint8Array, undefined> {
  signal?.throwIfAborted()
  if (body instanceof Uint8Array) {
    yield body
    return
  }
  const reader = body.getReader()
  const cancel = () => void reader.cancel(signal?.reason).catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      if (!release) collect(value.byteLength)
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}
