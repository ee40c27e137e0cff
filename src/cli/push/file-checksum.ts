import type { FileHandle } from 'node:fs/promises'

const READ_SIZE = 1024 ** 2

interface ReadOptions {
  signal: AbortSignal
  onBytes?: (count: number) => void
}

/** SHA-256 of a file that is read from front to back, parts of it perhaps more than once. */
export class FileChecksum {
  readonly #hasher = new Bun.CryptoHasher('sha256')
  #digest: string | null = null
  #size = 0

  /** Skips what was hashed before: a chunk that failed is read again. */
  add(bytes: Uint8Array, at: number): void {
    const known = this.#size - at
    if (known < 0) throw new Error('The bytes before these were not hashed')
    if (known >= bytes.length) return
    this.#hasher.update(bytes.subarray(known))
    this.#size = at + bytes.length
  }

  /** Hashes everything before `end` that is not hashed yet. */
  async readTo(end: number, handle: FileHandle, { signal, onBytes }: ReadOptions): Promise<void> {
    const buffer = Buffer.allocUnsafe(Math.min(READ_SIZE, Math.max(0, end - this.#size)))
    while (this.#size < end) {
      signal.throwIfAborted()
      const at = this.#size
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at), at)
      if (bytesRead === 0) return
      this.add(buffer.subarray(0, bytesRead), at)
      onBytes?.(bytesRead)
    }
  }

  /** In hex. Can be called more than once. */
  digest(): string {
    return (this.#digest ??= this.#hasher.digest('hex'))
  }
}
