import type { DatabaseHandle } from '../../../db/client.ts'
import { ok } from '../../../http/envelope.ts'
import { bytesOfResponse, type PreparedResponse, prepareJson } from '../../../http/prepared.ts'
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
  response: PreparedResponse
}

export interface ListingCache {
  read(ref: string, load: () => Promise<Listing>): Promise<PreparedResponse>
}

/**
 * Responses of the listing route, ready to be sent. Announcements drop a page when it or something it shows changed,
 * but may arrive after the response to the change; so before a cached page is sent, the database confirms that its own
 * row is unchanged. Requests that come together share that one small query.
 */
export async function createListingCache(database: DatabaseHandle): Promise<ListingCache> {
  const pages = new BoundedCache<CachedPage>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ response }) => bytesOfResponse(response),
    lifetimeMs: LIFETIME_MS,
  })
  // A listing is cached under its uid and under its name.
  const invalidate = (uid: string) =>
    uid === ALL_GAMES ? pages.clear() : pages.deleteWhere((page) => page.uid === uid)
  await database.listen(GAME_CHANGED, invalidate, () => pages.clear())
  const findChange = coalesce(async (keys) => {
    const uids = keys.map((key) => key.slice(0, UID_LENGTH))
    const states = keys.map((key) => key.slice(UID_LENGTH))
    const changed = await listChangedPages(database.db, uids, states)
    return new Map(changed.map(({ uid, state }) => [uid + state, true]))
  }, CONFIRMATIONS_APART_MS)

  async function findCached(ref: string): Promise<PreparedResponse | null> {
    const page = pages.get(ref)
    if (!page) return null
    const isChanged = await findChange(page.uid + page.state)
    return isChanged || pages.get(ref) !== page ? null : page.response
  }

  return {
    async read(ref, load) {
      const cached = await findCached(ref)
      if (cached) return cached
      const store = pages.beginRead()
      const listing = await load()
      const response = prepareJson(ok(listing))
      const { uid, visibility, updated_at } = listing
      const state = stateOf(visibility, new Date(updated_at))
      store(ref, { uid, state, response })
      return response
    },
  }
}
