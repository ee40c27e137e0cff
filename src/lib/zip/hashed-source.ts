import type { ByteSource } from './block-reader.ts'

export interface HashedSource extends ByteSource {
  /** The SHA-256 of all bytes. First reads the bytes that were not read in order. */
  digest(): Promise<string>
}

const READ_SIZE = 4 * 1024 ** 2

/**
 * Hashes bytes as they are read, so a reader that goes from start to end needs no second read. Reads that do
 * not continue the hashed bytes, such as of a directory at the end, are only passed on.
 */
export function hashWhileRead(source: ByteSource): HashedSource {
  const { size } = source
  const hasher = new Bun.CryptoHasher('sha256')
  let position = 0
  let hashed = Promise.resolve()

  function read(start: number, end: number): Promise<Uint8Array> {
    const bytes = source.read(start, end)
    if (start === position) {
      position = end
      // Reads may overlap, but their bytes are hashed in order.
      hashed = hashed.then(async () => void hasher.update(await bytes))
      hashed.catch(() => undefined)
    }
    return bytes
  }

  return {
    size,
    read,
    async digest() {
      await hashed
      while (position < size) {
        await read(position, Math.min(size, position + READ_SIZE))
        await hashed
      }
      return hasher.digest('hex')
    },
  }
}
