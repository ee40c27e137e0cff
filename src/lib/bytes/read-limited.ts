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
