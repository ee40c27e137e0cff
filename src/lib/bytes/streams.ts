interface Peeked {
  /** The first bytes: as many as were needed, or all there are. */
  head: Buffer
  /** The whole stream, the head included; errors once it is longer than `maxBytes`. */
  whole(maxBytes: number, tooLarge: () => Error): ReadableStream<Uint8Array>
}

/** Reads only until `isEnough`; the rest is delivered as it arrives. */
export async function peekStream(
  source: ReadableStream<Uint8Array>,
  isEnough: (head: Buffer) => boolean,
): Promise<Peeked> {
  const reader = source.getReader()
  let head: Buffer = Buffer.alloc(0)
  while (!isEnough(head)) {
    const { done, value } = await reader.read()
    if (done) break
    head = Buffer.concat([head, value])
  }
  return {
    head,
    whole(maxBytes, tooLarge) {
      let isFirst = head.length > 0
      let size = 0
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const bytes = isFirst ? head : (await reader.read()).value
            isFirst = false
            if (!bytes) return controller.close()
            size += bytes.length
            if (size > maxBytes) throw tooLarge()
            controller.enqueue(bytes)
          },
          cancel: (reason) => reader.cancel(reason),
        },
        { highWaterMark: 0 },
      )
    },
  }
}

export class TooLarge extends Error {
  constructor(readonly max: number) {
    super(`More than ${max} bytes`)
  }
}

/** Reads all bytes of a stream that may never end, up to a limit. */
export async function readLimited(
  stream: ReadableStream<Uint8Array> | null,
  max: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the stream.
  for await (const part of stream ?? []) {
    size += part.byteLength
    if (size > max) throw new TooLarge(max)
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}
