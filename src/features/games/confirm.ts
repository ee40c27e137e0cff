import type { Database, DatabaseHandle } from '../../db/client.ts'
import { invalidateOn } from '../../db/notify/notify.ts'
import {
  type Cache,
  type CacheOptions,
  createCache,
  type FindOutdated,
  type Origin,
} from '../../lib/cache/cache.ts'
import { coalesceMany } from '../../lib/flow/coalesce.ts'
import { listOutdated } from './queries.ts'
import { ALL_GAMES, GAME_CHANGED } from './service.ts'

/** The minimum time between two checks under load; an idle process checks immediately. */
const CHECKS_APART_MS = 2
const UID_LENGTH = 36

interface ShownListing {
  uid: string
  visibility: string
  adult: boolean
  updatedAt: Date
}

/**
 * Identifies a listing and the state in which it is shown; every edit and change of visibility changes the
 * text.
 */
export function stateOf({ uid, visibility, adult, updatedAt }: ShownListing): string {
  return `${uid}${visibility} ${adult} ${updatedAt.getTime()}`
}

/**
 * The states of these listings, of which only some are shown. The others are not public: their state is the
 * uid.
 */
export function listStates<Shown extends { uid: string }>(
  uids: readonly string[],
  shown: readonly Shown[],
  stateOfShown: (one: Shown) => string,
): string[] {
  const states = new Map(shown.map((one) => [one.uid, stateOfShown(one)]))
  return uids.map((uid) => states.get(uid) ?? uid)
}

/**
 * A notification may arrive after the response to the change, so the primary is asked before anything cached is used.
 * Concurrent requests share one small query.
 */
function createConfirmation(db: Database): FindOutdated {
  return coalesceMany(async (states) => {
    const uids = states.map((state) => state.slice(0, UID_LENGTH))
    const rest = states.map((state) => state.slice(UID_LENGTH))
    const outdated = await listOutdated(db, uids, rest)
    return new Map(outdated.map(({ uid, state }) => [uid + state, true]))
  }, CHECKS_APART_MS)
}

interface ShowsListings<Value> {
  /** `states` are of listings; `owners` are others whose own changes also change the value. */
  originOf: (value: Value) => Origin
  /** Expires entries as a fallback for a lost notification, and for what is not announced. */
  lifetimeMs: number
}

/** A cache of values made from listings: removed when one of them changed, and confirmed before every use. */
export async function createGamesCache<Value extends object>(
  database: Pick<DatabaseHandle, 'db' | 'listen'>,
  { originOf, ...options }: CacheOptions<Value> & ShowsListings<Value>,
): Promise<Cache<Value>> {
  const cache = createCache<Value>({
    ...options,
    findOutdated: createConfirmation(database.db),
    originOf(value) {
      const { states = [], owners = [] } = originOf(value)
      return {
        states,
        owners: [...new Set([...states.map((state) => state.slice(0, UID_LENGTH)), ...owners])],
      }
    },
  })
  await invalidateOn(database, GAME_CHANGED, cache, ALL_GAMES)
  return cache
}
