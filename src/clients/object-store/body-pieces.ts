import type { Body, WriteOptions } from './object-store.ts'

/**
 * Pieces that are not released, and copies that `fetch` makes of a part, are garbage until the next full collection, so
 * one is run every 128 MB.
 */
const COLLECT_BYTES = 128 * 1024 * 1024
let uncollected = 0

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
      if (!release) collectRegularly(value.byteLength)
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

function collectRegularly(bytes: number): void {
  uncollected += bytes
  if (uncollected < COLLECT_BYTES) return
  uncollected = 0
  Bun.gc(true)
}
