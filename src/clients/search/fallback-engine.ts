import type { Logger } from '../../lib/log.ts'
import type { SearchEngine, SearchHits, SearchQuery } from './search-engine.ts'
import { UnsupportedQuery } from './unsupported-query.ts'

/** After this many consecutive failures, searches no longer wait for the preferred engine. */
const FAILURES_MAX = 3
const PROBE_EVERY_MS = 3000

export interface FallbackOptions {
  preferred: SearchEngine
  spare: SearchEngine
  /** Whether the preferred engine has indexed all but the newest changes. */
  isCurrent: () => Promise<boolean>
  log: Logger
  now?: () => number
}

/**
 * Uses the spare engine whenever the preferred one fails. After a few consecutive failures the preferred one
 * is only probed in the background every few seconds, so that no search waits for it.
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
