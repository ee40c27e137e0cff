import type { DatabaseHandle } from '../../../db/client.ts'
import { bytesOfAnswer, type PreparedAnswer, prepareData } from '../../../http/prepared.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import { coalesce } from '../../../lib/coalesce.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../games/service.ts'
import type { Listing } from './listing-model.ts'
import { listChangedPages, stateOf } from './listing-queries.ts'

const MAX_BYTES = 32 * 1024 ** 2
/** Expires entries as a fallback for a lost notification. */
const LIFETIME_MS = 60_000
const UID_LENGTH = 36
/** The minimum time between two checks under load; an idle process checks immediately. */
const CONFIRMATIONS_APART_MS = 2

interface CachedPage {
  uid: string
  /** A fingerprint of the page's row, to detect changes. */
  state: string
  answer: PreparedAnswer
}

export interface ListingCache {
  read(ref: string, load: () => Promise<Listing>): Promise<PreparedAnswer>
}

/**
 * Prepared responses of the listing route. Notifications invalidate a page when its data changed, but arrive shortly
 * after the change; so before a cached page is sent, a query confirms that its row is unchanged. Concurrent requests
 * share it.
 */
export async function createListingCache(database: DatabaseHandle): Promise<ListingCache> {
  const pages = new BoundedCache<CachedPage>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ answer }) => bytesOfAnswer(answer),
    lifetimeMs: LIFETIME_MS,
  })
  let announcements = 0
  const forget = (uid: string) => {
    announcements += 1
    if (uid === ALL_GAMES) pages.clear()
    // A page is cached under its uid and its vanity name.
    else pages.deleteWhere((page) => page.uid === uid)
  }
  await database.listen(GAME_CHANGED, forget, () => forget(ALL_GAMES))
  const findChange = coalesce(async (keys) => {
    const uids = keys.map((key) => key.slice(0, UID_LENGTH))
    const states = keys.map((key) => key.slice(UID_LENGTH))
    const changed = await listChangedPages(database, uids, states)
    return new Map(changed.map(({ uid, state }) => [uid + state, true]))
  }, CONFIRMATIONS_APART_MS)

  async function findCached(ref: string): Promise<PreparedAnswer | null> {
    const page = pages.get(ref)
    if (!page) return null
    const isChanged = await findChange(page.uid + page.state)
    return isChanged || pages.get(ref) !== page ? null : page.answer
  }

  return {
    async read(ref, load) {
      const cached = await findCached(ref)
      if (cached) return cached
      const before = announcements
      const listing = await load()
      const answer = prepareData(listing)
      const { uid, visibility, updated_at } = listing
      const state = stateOf(visibility, new Date(updated_at))
      // A change notified during the read may be newer than what was read.
      if (announcements === before) pages.set(ref, { uid, state, answer })
      return answer
    },
  }
}
