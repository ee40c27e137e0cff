import type { Logger } from '../../lib/log.ts'
import type { SearchEngine, SearchHits, SearchQuery } from './search-engine.ts'
import { UnsupportedQuery } from './unsupported-query.ts'

/** So many failures in a row, and it is not waited for any longer. */
const FAILURES_MAX = 3
const PROBE_EVERY_MS = 3000

export interface FallbackOptions {
  preferred: SearchEngine
  spare: SearchEngine
  /** Whether the preferred one knows of all but the newest changes. */
  isCurrent: () => Promise<boolean>
  log: Logger
  now?: () => number
}

/**
 * Whatever goes wrong with the preferred engine, the spare one answers in its place. After a few failures in a row it is
 * only tried on the side, now and then, so that nobody waits for it.
 */
export function createFallbackEngine({
  preferred,
  spare,
  isCurrent,
  log,
  now = Date.now,
}: FallbackOptions): SearchEngine {
  let failures = 0
  let triedAt = 0

  async function ask(query: SearchQuery): Promise<SearchHits | null> {
    try {
      const hits = await preferred.search(query)
      if (failures >= FAILURES_MAX) log.info(`${preferred.name} answers searches again`)
      failures = 0
      return hits
    } catch (error) {
      if (error instanceof UnsupportedQuery) {
        log.debug(`${spare.name} answers what ${preferred.name} cannot`, { error })
        return null
      }
      failures += 1
      triedAt = now()
      if (failures === FAILURES_MAX) {
        log.warn(`${preferred.name} fails; ${spare.name} answers searches until it is back`, { error })
      }
      return null
    }
  }

  async function askPreferred(query: SearchQuery): Promise<SearchHits | null> {
    if (failures < FAILURES_MAX) return (await isCurrent()) ? await ask(query) : null
    if (now() - triedAt >= PROBE_EVERY_MS) {
      triedAt = now()
      void ask(query)
    }
    return null
  }

  return {
    name: preferred.name,
    search: async (query) => (await askPreferred(query)) ?? (await spare.search(query)),
  }
}
