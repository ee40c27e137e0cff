import type { DatabaseHandle } from '../../../db/client.ts'
import { bytesOfAnswer, type PreparedAnswer, prepareData } from '../../../http/prepared.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import { coalesce } from '../../../lib/coalesce.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../games/service.ts'
import type { Listing } from './listing-model.ts'
import { listChangedPages, stateOf } from './listing-queries.ts'

const MAX_BYTES = 32 * 1024 ** 2
/** Ends what an announcement that never arrived would leave behind. */
const LIFETIME_MS = 60_000
const UID_LENGTH = 36
/** A busy process asks so often at most; one that is not busy asks at once. */
const CONFIRMATIONS_APART_MS = 2

interface CachedPage {
  uid: string
  /** What the page looked like to the database. */
  state: string
  answer: PreparedAnswer
}

export interface ListingCache {
  read(ref: string, load: () => Promise<Listing>): Promise<PreparedAnswer>
}

/**
 * Answers of the listing route, ready to be sent. Announcements drop a page when it or something it shows changed, but
 * arrive a moment after the change was answered; so before a cached page is sent, the database confirms that its own row
 * is unchanged. Requests that come together share that one small query.
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
    // A listing is asked for by its uid and by its name.
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
      // What was announced while we were reading may be newer than what we read.
      if (announcements === before) pages.set(ref, { uid, state, answer })
      return answer
    },
  }
}
