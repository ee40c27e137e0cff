import type { Deps } from '../../../deps.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { JAMS_CHANGED } from '../changes.ts'
import type { JamSummary } from './model.ts'
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
  /** Whether there is any public jam, also past ones. */
  hasAny: boolean
}

export interface CurrentJamsReader {
  read(): Promise<CurrentJams>
  /** For the header: what is known, without asking the database. */
  hasAny(): boolean
}

export const NO_JAMS: CurrentJams = { jams: [], hasAny: false }

/** Keeps what every page shows of jams, until one of them changes. */
export async function createCurrentJams(
  deps: Pick<Deps, 'db' | 'config' | 'database'>,
): Promise<CurrentJamsReader> {
  let known = NO_JAMS
  let readAt = Number.NEGATIVE_INFINITY
  const outdate = () => (readAt = Number.NEGATIVE_INFINITY)
  const load = memoize(RELOADED_AT_MOST_MS, async () => {
    readAt = Date.now()
    const loaded = await loadCurrent(deps)
    if (!Bun.deepEquals(loaded, known)) known = loaded
    return known
  })
  const isCurrent = () => Date.now() - readAt < LIFETIME_MS
  await deps.database.listen(JAMS_CHANGED, outdate, outdate)
  return {
    read: async () => (isCurrent() ? known : await load()),
    hasAny: () => {
      if (!isCurrent()) void load().catch(() => undefined)
      return known.hasAny
    },
  }
}

async function loadCurrent(deps: Pick<Deps, 'db' | 'config'>): Promise<CurrentJams> {
  const page = { page: 1, page_size: SHOWN, offset: 0 }
  const [running, coming, voting, all] = await Promise.all([
    listJams(deps, 'running', page),
    listJams(deps, 'coming', page),
    listJams(deps, 'voting', page),
    listJams(deps, null, { ...page, page_size: 1 }),
  ])
  const jams = [running, coming, voting].flatMap(({ items }) => items).slice(0, SHOWN)
  return { jams, hasAny: all.total > 0 }
}
