import type { Deps } from '../../../deps.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import { isUid } from '../../../lib/ids.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../games/service.ts'
import type { Listing } from './listing-model.ts'
import { listChangedPages, stateOf } from './listing-queries.ts'

const MAX_BYTES = 32 * 1024 ** 2
const UID_LENGTH = 36
/** The minimum time between two checks under load; an idle process checks immediately. */
const CONFIRMATIONS_APART_MS = 2

/** A value and the listing it was made from. */
export interface LoadedListing<Value> {
  value: Value
  listing: Pick<Listing, 'uid' | 'visibility' | 'updated_at'>
  /** Other listings whose own changes also change the value. */
  shows?: readonly string[]
}

interface CachedListing<Value> {
  value: Value
  uid: string
  shows: readonly string[]
  /** A fingerprint of the listing's row, to detect changes. */
  state: string
}

export interface ListingCache<Value> {
  read(ref: string, load: Load<Value>): Promise<Value>
}

type Load<Value> = (from: Deps) => Promise<LoadedListing<Value>>

export interface ListingCacheOptions<Value> {
  bytesOf: (value: Value) => number
  /** Expires entries as a fallback for a lost notification, and for what is not announced. */
  lifetimeMs: number
}

/**
 * Values made from listings. Announcements drop one when its listing or something it shows changed, but may arrive
 * after the response to the change; so before a cached value or one from the replica is used, the primary confirms
 * that its own row is unchanged. Requests that come together share that one small query.
 */
export async function createListingCache<Value extends object>(
  { database, reads }: Pick<Deps, 'database' | 'reads'>,
  { bytesOf, lifetimeMs }: ListingCacheOptions<Value>,
): Promise<ListingCache<Value>> {
  const cached = new BoundedCache<CachedListing<Value>>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ value }) => bytesOf(value),
    lifetimeMs,
  })
  const loading = new Map<string, Promise<Value>>()
  // A listing is cached under its uid and under its name.
  const invalidate = (changed: string) =>
    changed === ALL_GAMES
      ? cached.clear()
      : cached.deleteWhere(({ uid, shows }) => uid === changed || shows.includes(changed))
  await database.listen(GAME_CHANGED, invalidate, () => cached.clear())
  const findChange = coalesce(async (keys) => {
    const uids = keys.map((key) => key.slice(0, UID_LENGTH))
    const states = keys.map((key) => key.slice(UID_LENGTH))
    const changed = await listChangedPages(database.db, uids, states)
    return new Map(changed.map(({ uid, state }) => [uid + state, true]))
  }, CONFIRMATIONS_APART_MS)

  async function findCached(ref: string): Promise<Value | null> {
    const known = cached.get(ref)
    if (!known) return null
    const isChanged = await findChange(known.uid + known.state)
    return isChanged || cached.get(ref) !== known ? null : known.value
  }

  const isCurrent = async ({ listing }: LoadedListing<Value>) =>
    !(await findChange(listing.uid + stateOfListing(listing)))

  async function loadAndStore(ref: string, load: Load<Value>): Promise<Value> {
    const store = cached.beginRead()
    const { value, listing, shows = [] } = await reads.shared(load, isCurrent)
    store(ref, { value, uid: listing.uid, shows, state: stateOfListing(listing) })
    return value
  }

  return {
    async read(sent, load) {
      // Otherwise every spelling of a uid would be cached.
      const ref = isUid(sent) ? sent.toLowerCase() : sent
      const known = await findCached(ref)
      if (known) return known
      const inFlight = loading.get(ref)
      if (inFlight) {
        // It began before this call, so the database has to confirm its result too.
        await inFlight.catch(() => undefined)
        const loaded = await findCached(ref)
        if (loaded) return loaded
      }
      const own = loadAndStore(ref, load).finally(() => {
        if (loading.get(ref) === own) loading.delete(ref)
      })
      loading.set(ref, own)
      return await own
    },
  }
}

function stateOfListing({ visibility, updated_at }: LoadedListing<unknown>['listing']): string {
  return stateOf(visibility, new Date(updated_at))
}
