import type { Deps } from '../../../deps.ts'
import { isUid } from '../../../lib/ids.ts'
import { stateOf } from '../../games/confirm.ts'
import { type ConfirmedCacheOptions, createConfirmedCache } from '../../games/confirmed-cache.ts'
import type { Listing } from './listing-model.ts'

const MAX_BYTES = 32 * 1024 ** 2

/** A value and the listing it was made from. */
export interface LoadedListing<Value> {
  value: Value
  listing: Pick<Listing, 'uid' | 'visibility' | 'adult' | 'updated_at'>
  /** Other listings whose own changes also change the value. */
  shows?: readonly string[]
}

export interface ListingCache<Value> {
  read(ref: string, load: Load<Value>): Promise<Value>
}

type Load<Value> = (from: Deps) => Promise<LoadedListing<Value>>

/** Values made from one listing each. They are read from the replica if the primary confirms them. */
export async function createListingCache<Value extends object>(
  { database, reads }: Pick<Deps, 'database' | 'reads'>,
  options: Omit<ConfirmedCacheOptions<Value>, 'maxBytes'>,
): Promise<ListingCache<Value>> {
  const cache = await createConfirmedCache(database, { maxBytes: MAX_BYTES, ...options })
  const loading = new Map<string, Promise<Value>>()

  const findCached = async (ref: string) => (await cache.find([ref])).get(ref)

  async function loadAndStore(ref: string, load: Load<Value>): Promise<Value> {
    const store = cache.beginRead()
    const isCurrent = ({ listing }: LoadedListing<Value>) => cache.isCurrent([stateOfListing(listing)])
    const { value, listing, shows = [] } = await reads.shared(load, isCurrent)
    store(ref, value, { states: [stateOfListing(listing)], shows })
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

function stateOfListing({ uid, visibility, adult, updated_at }: LoadedListing<unknown>['listing']): string {
  return stateOf({ uid, visibility, adult, updatedAt: new Date(updated_at) })
}
