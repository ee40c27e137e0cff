import type { Db } from '../../../db/client.ts'
import { OPERATING_SYSTEMS, type OperatingSystem } from '../../../domain/builds/platforms.ts'
import { FOLLOWERS_SHOWN_FROM } from '../../../domain/follows.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import { DAY_MS } from '../../../lib/time.ts'
import * as queries from './queries.ts'

/** Null: fewer than FOLLOWERS_SHOWN_FROM. */
type Count = number | null

/** How many follow a listing, never who. */
export interface Followers {
  total: Count
  /** Of the last 30 days. */
  recent: Count
  /** Who hears of the releases for all systems. */
  everySystem: Count
  /** Who chose the system, among others. */
  perSystem: readonly (readonly [os: OperatingSystem, count: Count])[]
  wishes: Count
  /** Of its owner. */
  developer: Count
}

const RECENT_MS = 30 * DAY_MS
/** Counting a million follows takes a moment; smaller numbers are counted anew each time. */
const LIFETIME_MS = 60_000
const CACHED_FROM = 10_000
const MAX_ENTRIES = 1000

export type ReadFollowers = (game: { uid: string; ownerUid: string }) => Promise<Followers>

export function createFollowersReader(db: Db): ReadFollowers {
  const cache = createCache<Followers>({ maxEntries: MAX_ENTRIES, lifetimeMs: LIFETIME_MS })
  return async ({ uid, ownerUid }) => {
    const known = cache.peek(uid)
    if (known) return known
    const store = cache.beginRead()
    const since = new Date(Date.now() - RECENT_MS)
    const [counts, developer] = await Promise.all([
      queries.countFollowers(db, uid, since),
      queries.countDeveloperFollowers(db, ownerUid),
    ])
    const followers = {
      total: shown(counts?.total),
      recent: shown(counts?.recent),
      everySystem: shown(counts?.everySystem),
      perSystem: OPERATING_SYSTEMS.map((os) => [os, shown(counts?.[os])] as const),
      wishes: shown(counts?.wishes),
      developer: shown(developer),
    }
    if (Math.max(counts?.total ?? 0, counts?.wishes ?? 0, developer) >= CACHED_FROM) store(uid, followers)
    return followers
  }
}

/** Small numbers could tell who it is. */
function shown(count = 0): Count {
  return count < FOLLOWERS_SHOWN_FROM ? null : count
}
