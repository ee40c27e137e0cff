import type { DatabaseHandle } from '../../db/client.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { createConfirmation } from './confirm.ts'
import { ALL_GAMES, GAME_CHANGED } from './service.ts'

const UID_LENGTH = 36

export interface ConfirmedCacheOptions<Value> {
  maxBytes: number
  bytesOf: (value: Value) => number
  /** Expires entries as a fallback for a lost notification, and for what is not announced. */
  lifetimeMs: number
}

/** What a value was made from. */
export interface Origin {
  /** The state of each listing that the primary confirms before every use; see `stateOf`. */
  states: readonly string[]
  /** Other listings whose own changes also change the value. */
  shows?: readonly string[]
}

interface Entry<Value> {
  value: Value
  states: readonly string[]
  owners: readonly string[]
}

export interface ConfirmedCache<Value> {
  /** What is cached; it may be outdated. */
  peek(key: string): Value | undefined
  /** The cached values that are still current. */
  find(keys: readonly string[]): Promise<Map<string, Value>>
  /** Call before reading the value to store. What changed meanwhile is not stored. */
  beginRead(): (key: string, value: Value, origin: Origin) => void
  /** Whether the listings are still in these states. */
  isCurrent(states: readonly string[]): Promise<boolean>
}

/**
 * Values made from listings. Notifications delete a value when a listing it shows changed; since they may arrive after
 * the response to the change, the primary also confirms the states before every use.
 */
export async function createConfirmedCache<Value extends object>(
  { db, listen }: Pick<DatabaseHandle, 'db' | 'listen'>,
  { bytesOf, ...bounds }: ConfirmedCacheOptions<Value>,
): Promise<ConfirmedCache<Value>> {
  const cached = new BoundedCache<Entry<Value>>({
    ...bounds,
    bytesOf: ({ value }) => bytesOf(value),
    ownersOf: ({ owners }) => owners,
  })
  const invalidate = (uid: string) => (uid === ALL_GAMES ? cached.clear() : cached.deleteOwner(uid))
  await listen(GAME_CHANGED, invalidate, () => cached.clear())
  const findOutdated = createConfirmation(db)

  async function isCurrent(states: readonly string[]): Promise<boolean> {
    if (states.length === 0) return true
    const outdated = await findOutdated(states)
    return outdated.size === 0 || !states.some((state) => outdated.has(state))
  }

  return {
    isCurrent,
    peek: (key) => cached.get(key)?.value,
    async find(keys) {
      const found = new Map<string, Value>()
      const known = keys.flatMap((key) => {
        const entry = cached.get(key)
        return entry ? [{ key, entry }] : []
      })
      if (known.length === 0) return found
      const outdated = await findOutdated(known.flatMap(({ entry }) => entry.states))
      for (const { key, entry } of known) {
        const isOutdated = entry.states.some((state) => outdated.has(state))
        if (!isOutdated && cached.get(key)?.value === entry.value) found.set(key, entry.value)
      }
      return found
    },
    beginRead() {
      const store = cached.beginRead()
      return (key, value, { states, shows = [] }) => {
        const owners = [...new Set([...states.map((state) => state.slice(0, UID_LENGTH)), ...shows])]
        store(key, { value, states, owners })
      }
    },
  }
}
