import { BoundedCache, type SizeBound } from './bounded-cache.ts'

/** What a value was made from. */
export interface Origin {
  /** Confirmed by `findOutdated` before every use. */
  states?: readonly string[]
  /** Owners whose change removes the value. */
  owners?: readonly string[]
}

/** Returns those of the states that no longer hold. */
export type FindOutdated = (states: readonly string[]) => Promise<ReadonlyMap<string, true>>

export type CacheOptions<Value> = SizeBound<Value> & {
  /** Entries older than this are loaded again. */
  lifetimeMs?: number
  originOf?: (value: Value) => Origin
  /** Whether no announcement of a change can have been missed; otherwise nothing is served from the cache. */
  isTrusted?: () => boolean
  findOutdated?: FindOutdated
}

interface Entry<Value> extends Required<Origin> {
  value: Value
}

export interface Cache<Value> {
  /** What is cached; it may be outdated. */
  peek(key: string): Value | undefined
  /** The cached values that are still current. */
  find(keys: readonly string[]): Promise<Map<string, Value>>
  /** Whether all of these states still hold. */
  isCurrent(states: readonly string[]): Promise<boolean>
  /** Call before reading the value to store. What changed meanwhile is not stored. */
  beginRead(): (key: string, value: Value) => void
  /** The cached value if it is current, or the result of `make`. Null is not cached. */
  load<Made extends Value | null>(key: string, make: () => Promise<Made>): Promise<Value | Made>
  /**
   * For values computed from one generation of an index. A newer generation clears the cache; a computation that
   * started with an older one neither reads nor writes it. Concurrent calls share one computation.
   */
  compute(generation: number, key: string, make: () => Promise<Value>): Promise<Value>
  removeOwner(owner: string): void
  clear(): void
}

/** A bounded cache whose values are removed by announcements, confirmed before use, or both. */
export function createCache<Value extends object>(options: CacheOptions<Value>): Cache<Value> {
  const { lifetimeMs, originOf, isTrusted = () => true, findOutdated } = options
  const cached = new BoundedCache<Entry<Value>>({
    ...('maxEntries' in options
      ? { maxEntries: options.maxEntries }
      : { maxBytes: options.maxBytes, bytesOf: ({ value }: Entry<Value>) => options.bytesOf(value) }),
    ...(lifetimeMs !== undefined && { lifetimeMs }),
    ...(originOf && { ownersOf: ({ owners }: Entry<Value>) => owners }),
  })
  const loading = new Map<string, Promise<unknown>>()
  let current = -1

  function toEntry(value: Value): Entry<Value> {
    const { states = [], owners = [] } = originOf?.(value) ?? {}
    return { value, states, owners }
  }

  async function isCurrent(states: readonly string[]): Promise<boolean> {
    if (!findOutdated || states.length === 0) return true
    const outdated = await findOutdated(states)
    return outdated.size === 0 || !states.some((state) => outdated.has(state))
  }

  /** What may be served, as far as announcements tell. */
  function findTrusted(key: string): Entry<Value> | undefined {
    return isTrusted() ? cached.get(key) : undefined
  }

  async function findConfirmed(key: string): Promise<Value | undefined> {
    const entry = findTrusted(key)
    if (!entry || !(await isCurrent(entry.states))) return undefined
    return cached.get(key)?.value === entry.value ? entry.value : undefined
  }

  async function find(keys: readonly string[]): Promise<Map<string, Value>> {
    const found = new Map<string, Value>()
    const known = keys.flatMap((key) => {
      const entry = findTrusted(key)
      return entry ? [{ key, entry }] : []
    })
    if (known.length === 0) return found
    const { removals } = cached
    const outdated = await findOutdated?.(known.flatMap(({ entry }) => entry.states))
    const isUntouched = cached.removals === removals
    for (const { key, entry } of known) {
      const isOutdated = outdated?.size ? entry.states.some((state) => outdated.has(state)) : false
      if (!isOutdated && (isUntouched || cached.get(key)?.value === entry.value)) found.set(key, entry.value)
    }
    return found
  }

  function beginRead() {
    const store = cached.beginRead()
    return (key: string, value: Value) => store(key, toEntry(value))
  }

  async function loadAndStore<Made extends Value | null>(
    key: string,
    make: () => Promise<Made>,
  ): Promise<Made> {
    const store = beginRead()
    const made = await make()
    if (made !== null) store(key, made)
    return made
  }

  return {
    find,
    isCurrent,
    beginRead,
    peek: (key) => cached.get(key)?.value,
    async load(key, make) {
      const known = findOutdated ? await findConfirmed(key) : findTrusted(key)?.value
      if (known) return known
      // It began before this call, so its result has to be confirmed too.
      const inFlight = findOutdated && loading.get(key)
      if (inFlight) {
        await inFlight.catch(() => undefined)
        const loaded = await findConfirmed(key)
        if (loaded) return loaded
      }
      const own = loadAndStore(key, make).finally(() => {
        if (loading.get(key) === own) loading.delete(key)
      })
      loading.set(key, own)
      return await own
    },
    async compute(generation, key, make) {
      if (generation < current) return await make()
      if (generation > current) {
        cached.clear()
        current = generation
      }
      return (await cached.load(key, async () => toEntry(await make()))).value
    },
    removeOwner: (owner) => cached.deleteOwner(owner),
    clear: () => cached.clear(),
  }
}
