import { bytesOfAnswer, type PreparedAnswer, prepareData } from '../../../http/prepared.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'

export interface BriefCache {
  read(key: string, make: () => Promise<unknown>): Promise<PreparedAnswer>
}

/** For responses that may be slightly stale: each is computed at most once per `lifetimeMs`. */
export function createBriefCache(lifetimeMs: number, maxBytes: number): BriefCache {
  const answers = new BoundedCache<PreparedAnswer>({ maxBytes, bytesOf: bytesOfAnswer, lifetimeMs })
  return {
    read: async (key, make) => await answers.load(key, async () => prepareData(await make())),
  }
}
