import { BoundedCache } from '../../../lib/bounded-cache.ts'

const MAX_HASHES = 1000

/** SHA-256 over the first `size` bytes of an upload. */
export class RunningHash {
  #hasher = new Bun.CryptoHasher('sha256')
  #digest: string | null = null
  #size = 0

  get size(): number {
    return this.#size
  }

  update(bytes: Uint8Array): void {
    this.#hasher.update(bytes)
    this.#size += bytes.byteLength
  }

  /** Can be called more than once. */
  digest(): string {
    return (this.#digest ??= this.#hasher.digest('hex'))
  }
}

export type RunningHashes = ReturnType<typeof createRunningHashes>

/**
 * The hashes of uploads of which this process has seen every byte. Where one is missing (another process wrote, or
 * this one was restarted), the bytes are read back at the end instead.
 */
export function createRunningHashes() {
  const cached = new BoundedCache<RunningHash>({ maxEntries: MAX_HASHES })
  return {
    /** Removes the hash, so that a failed writer leaves no wrong one; null unless it covers exactly `size` bytes. */
    take(session: string, size: number): RunningHash | null {
      const hash = size === 0 ? new RunningHash() : cached.get(session)
      cached.delete(session)
      return hash?.size === size ? hash : null
    },
    keep(session: string, hash: RunningHash): void {
      cached.set(session, hash)
    },
  }
}
