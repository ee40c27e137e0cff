import { bytesOfAnswer, type PreparedAnswer, prepareData } from '../../../http/prepared.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'

export interface BriefCache {
  read(key: string, make: () => Promise<unknown>): Promise<PreparedAnswer>
}

/** For answers that may be a little behind: made at most once in so many milliseconds, however many ask. */
export function createBriefCache(lifetimeMs: number, maxBytes: number): BriefCache {
  const answers = new BoundedCache<PreparedAnswer>({ maxBytes, bytesOf: bytesOfAnswer, lifetimeMs })
  return {
    read: async (key, make) => await answers.load(key, async () => prepareData(await make())),
  }
}
