import type { Deps } from '../../../deps.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import { listGamesOfJam } from './queries.ts'

/** The listings that are entered into a jam, by its slug; none for a jam that is not shown. */
export type ListJamGames = (slug: string) => Promise<readonly string[]>

/** How long a search may miss a new entry. */
const LIFETIME_MS = 5000
const JAMS_MAX = 50
const GAMES_MAX = 20_000

/** Cached, because every search in a jam needs them all. */
export function createJamReader({ db }: Pick<Deps, 'db'>): ListJamGames {
  const cache = createCache<readonly string[]>({ maxEntries: JAMS_MAX, lifetimeMs: LIFETIME_MS })
  return (slug) => cache.load(slug, () => listGamesOfJam(db, slug, GAMES_MAX))
}
