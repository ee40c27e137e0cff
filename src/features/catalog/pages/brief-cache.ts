import { type PreparedAnswer, prepareData } from '../../../http/prepared.ts'

export interface BriefCache {
  read(key: string, make: () => Promise<unknown>): Promise<PreparedAnswer>
}

interface Entry {
  answer: Promise<PreparedAnswer>
  until: number
}

/** For answers that may be a little behind: made at most once in so many milliseconds, however many ask. */
export function createBriefCache(lifetimeMs: number, maxEntries: number): BriefCache {
  const entries = new Map<string, Entry>()

  function add(key: string, answer: Promise<PreparedAnswer>): Promise<PreparedAnswer> {
    const entry = { answer, until: Date.now() + lifetimeMs }
    entries.delete(key)
    entries.set(key, entry)
    const [oldest] = entries.keys()
    if (oldest !== undefined && entries.size > maxEntries) entries.delete(oldest)
    // A failure is told to those who waited, and tried again by the next.
    answer.catch(() => entries.get(key) === entry && entries.delete(key))
    return answer
  }

  return {
    read(key, make) {
      const known = entries.get(key)
      return known && known.until > Date.now() ? known.answer : add(key, make().then(prepareData))
    },
  }
}
