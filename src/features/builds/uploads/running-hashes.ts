import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { createSha256 } from '../../../lib/sha256/create.ts'
import type { Sha256 } from '../../../lib/sha256/sha256.ts'

const MAX_HASHES = 1000

export type RunningHashes = ReturnType<typeof createRunningHashes>

/**
 * The hashes of uploads of which this process has seen every byte. Where one is missing (another process wrote, or
 * this one was restarted), the bytes are read back at the end instead.
 */
export function createRunningHashes() {
  const cached = new BoundedCache<Sha256>({ maxEntries: MAX_HASHES })
  return {
    /** Removes the hash, so that a failed writer leaves no wrong one; null unless it covers exactly `size` bytes. */
    take(session: string, size: number): Sha256 | null {
      const hash = size === 0 ? createSha256() : cached.get(session)
      cached.delete(session)
      return hash?.size === size ? hash : null
    },
    keep(session: string, hash: Sha256): void {
      cached.set(session, hash)
    },
  }
}
