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

  /** Ends the hash; may be asked again. */
  digest(): string {
    return (this.#digest ??= this.#hasher.digest('hex'))
  }
}

export type RunningHashes = ReturnType<typeof createRunningHashes>

/**
 * The hashes of uploads of which this process has seen every byte. Where one is missing (another process wrote, or
 * this one was started anew), the bytes are read back at the end instead.
 */
export function createRunningHashes() {
  const kept = new Map<string, RunningHash>()
  return {
    /** Out of the collection, so that a writer that fails leaves none that is wrong; null unless it covers `size`. */
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
