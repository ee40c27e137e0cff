const KEPT_MAX = 1000

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
 * Hashes of uploads of which this process received every byte. When one is missing, because another process wrote or
 * this one was restarted, the object is read back at the end instead.
 */
export function createRunningHashes() {
  const kept = new Map<string, RunningHash>()
  return {
    /** Removes the hash, so that a failed writer leaves no wrong one; null unless it covers exactly `size` bytes. */
    take(session: string, size: number): RunningHash | null {
      const hash = size === 0 ? new RunningHash() : kept.get(session)
      kept.delete(session)
      return hash?.size === size ? hash : null
    },
    keep(session: string, hash: RunningHash): void {
      kept.set(session, hash)
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_MAX) return
        kept.delete(oldest)
      }
    },
  }
}
