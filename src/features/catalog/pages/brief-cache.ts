import { ok } from '../../../http/envelope.ts'
import { bytesOfResponse, type PreparedResponse, prepareJson } from '../../../http/prepared.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'

export interface BriefCache {
  read(key: string, make: () => Promise<unknown>): Promise<PreparedResponse>
}

/** For responses that may be a little behind: made at most once in so many milliseconds, however many ask. */
export function createBriefCache(lifetimeMs: number, maxBytes: number): BriefCache {
  const responses = new BoundedCache<PreparedResponse>({ maxBytes, bytesOf: bytesOfResponse, lifetimeMs })
  return {
    read: async (key, make) => await responses.load(key, async () => prepareJson(ok(await make()))),
  }
}
