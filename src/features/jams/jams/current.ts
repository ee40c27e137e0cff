import type { Deps } from '../../../deps.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { JAMS_CHANGED } from '../access.ts'
import type { JamSummary } from './model.ts'
import { hasPublic } from './queries.ts'
import { listJams } from './service.ts'

/** States change with the time, without a notification. */
const LIFETIME_MS = 15_000
/** However often jams change. */
const RELOADED_AT_MOST_MS = 500
const SHOWN = 3

/** The jams of the home page. The object is replaced whenever anything of them changes. */
export interface CurrentJams {
  /** Running ones, those that come next, and those that are voted on. */
  jams: readonly JamSummary[]
}

export interface CurrentJamsReader {
  read(): Promise<CurrentJams>
  /** Whether there is any public jam, as far as is known: nothing waits for the database. */
  hasAny(): boolean
}

export const NO_JAMS: CurrentJams = { jams: [] }

/** Keeps what pages other than those of jams show of them, until one of them changes. */
export async function createCurrentJams(
  deps: Pick<Deps, 'db' | 'config' | 'database'>,
): Promise<CurrentJamsReader> {
  let known = NO_JAMS
  let readAt = Number.NEGATIVE_INFINITY
  let hasAny = false
  let isCounted = false

  const load = memoize(RELOADED_AT_MOST_MS, async () => {
    readAt = Date.now()
    try {
      const loaded = await loadCurrent(deps)
      if (!Bun.deepEquals(loaded, known)) known = loaded
      return known
    } catch (error) {
      outdate()
      throw error
    }
  })
  const count = memoize(RELOADED_AT_MOST_MS, async () => {
    isCounted = true
    hasAny = await hasPublic(deps.db)
  })
  function outdate(): void {
    readAt = Number.NEGATIVE_INFINITY
    isCounted = false
  }
  await deps.database.listen(JAMS_CHANGED, outdate, outdate)
  // The first page has the link in its header, too.
  await count().catch(outdate)

  return {
    read: async () => (Date.now() - readAt < LIFETIME_MS ? known : await load()),
    hasAny: () => {
      if (!isCounted) void count().catch(outdate)
      return hasAny
    },
  }
}

async function loadCurrent(deps: Pick<Deps, 'db' | 'config'>): Promise<CurrentJams> {
  const page = { page: 1, page_size: SHOWN, offset: 0 }
  const found = await Promise.all(
    (['running', 'coming', 'voting'] as const).map((state) => listJams(deps, state, page)),
  )
  return { jams: found.flatMap(({ items }) => items).slice(0, SHOWN) }
}
