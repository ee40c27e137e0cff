export class TooLarge extends Error {
  constructor(readonly max: number) {
    super(`More than ${max} bytes`)
  }
}

/** All the bytes of a stream that is not trusted to end. */
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
