import { applyPax, BLOCK, decodeHeader, encodeHeader, paddingAfter, type TarEntry } from './tar-header.ts'

export interface TarMember extends TarEntry {
  /** To be read before the next member is asked for; what is left is skipped. */
  body: AsyncIterable<Uint8Array>
}

const MAX_PAX = 64 * 1024

/** The end of an archive. Without it a reader knows that something is missing. */
export const TAR_END: Uint8Array = new Uint8Array(2 * BLOCK)

/** The bytes of one member. The body must be exactly as long as the entry says. */
export async function* packEntry(
  entry: TarEntry,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = [],
): AsyncGenerator<Uint8Array> {
  yield encodeHeader(entry)
  let done = 0
  for await (const chunk of body) {
    done += chunk.length
    yield chunk
  }
  if (done !== entry.size) throw new Error(`${entry.name} changed its size while it was read`)
  const padding = paddingAfter(entry.size)
  if (padding > 0) yield new Uint8Array(padding)
}

/** Reads an archive from front to end, holding one chunk at a time. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const bytes = createByteReader(source)
  try {
    let pax: Buffer | null = null
    for (;;) {
      const block = await bytes.take(BLOCK)
      if (block.every((byte) => byte === 0)) break
      const header = decodeHeader(block)
      if (header.isPax) {
        if (header.size > MAX_PAX) throw new Error('The archive has a header that is too long')
        pax = await bytes.take(header.size)
        await bytes.skip(paddingAfter(header.size))
        continue
      }
      const entry = applyPax(header, pax)
      pax = null
      const body = openBody(bytes, entry.size)
      yield { ...entry, body: body.chunks() }
      await bytes.skip(body.left() + paddingAfter(entry.size))
    }
    await bytes.drain()
  } finally {
    await bytes.close()
  }
}

function openBody(bytes: ByteReader, size: number) {
  let left = size
  return {
    left: () => left,
    async *chunks(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const chunk = await bytes.next(left)
        left -= chunk.length
        yield chunk
      }
    },
  }
}

type ByteReader = ReturnType<typeof createByteReader>

function createByteReader(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()

  /** What is there, but no more than `limit`. */
  async function next(limit: number): Promise<Uint8Array> {
    while (rest.length === 0) {
      const chunk = await chunks.next()
      if (chunk.done) throw new Error('The archive ends too early')
      rest = chunk.value
    }
    const part = rest.subarray(0, limit)
    rest = rest.subarray(part.length)
    return part
  }

  return {
    next,
    async take(size: number): Promise<Buffer> {
      const parts: Uint8Array[] = []
      for (let left = size; left > 0;) {
        const part = await next(left)
        parts.push(part)
        left -= part.length
      }
      return Buffer.concat(parts)
    },
    async skip(size: number): Promise<void> {
      for (let left = size; left > 0;) left -= (await next(left)).length
    },
    /** To the last byte, so that whoever sends can check its own sum. */
    async drain(): Promise<void> {
      while (!(await chunks.next()).done);
    },
    async close(): Promise<void> {
      await chunks.return?.()
    },
  }
}
