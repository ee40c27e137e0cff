import type { Deps } from '../../../deps.ts'
import type { Origin } from '../../../lib/cache/cache.ts'
import { isUid } from '../../../lib/ids.ts'
import { createGamesCache, stateOf } from '../../games/confirm.ts'
import type { Listing } from './model.ts'

const MAX_BYTES = 32 * 1024 ** 2

/** A value and the listing it was made from. */
interface LoadedListing<Value> {
  value: Value
  listing: Pick<Listing, 'uid' | 'visibility' | 'adult' | 'updated_at'>
  /** Other listings whose own changes also change the value. */
  shows?: readonly string[]
}

export interface ListingCache<Value> {
  read(ref: string, load: Load<Value>): Promise<Value>
}

type Load<Value> = (from: Deps) => Promise<LoadedListing<Value>>

interface Bounds<Value> {
  bytesOf: (value: Value) => number
  lifetimeMs: number
}

/** Values made from one listing each. They are read from the replica if the primary confirms them. */
export async function createListingCache<Value>(
  { database, reads }: Pick<Deps, 'database' | 'reads'>,
  { bytesOf, lifetimeMs }: Bounds<Value>,
): Promise<ListingCache<Value>> {
  const cache = await createGamesCache<{ value: Value } & Required<Origin>>(database, {
    maxBytes: MAX_BYTES,
    bytesOf: ({ value }) => bytesOf(value),
    lifetimeMs,
    originOf: ({ states, owners }) => ({ states, owners }),
  })
  const isCurrent = ({ listing }: LoadedListing<unknown>) => cache.isCurrent([stateOfListing(listing)])
  return {
    async read(sent, load) {
      // Otherwise every spelling of a uid would be cached.
      const ref = isUid(sent) ? sent.toLowerCase() : sent
      const found = await cache.load(ref, async () => {
        const { value, listing, shows = [] } = await reads.shared(load, isCurrent)
        return { value, states: [stateOfListing(listing)], owners: shows }
      })
      return found.value
    },
  }
}

function stateOfListing({ uid, visibility, adult, updated_at }: LoadedListing<unknown>['listing']): string {
  return stateOf({ uid, visibility, adult, updatedAt: new Date(updated_at) })
}
