import { LRUCache } from 'lru-cache'

/** The cache's own overhead per entry. */
const ENTRY_BYTES = 200

interface ByteBound<Value> {
  maxBytes: number
  /** An estimate of the value's size; the cache adds the size of the key. */
  bytesOf: (value: Value) => number
}

interface EntryBound {
  maxEntries: number
}

export type SizeBound<Value> = ByteBound<Value> | EntryBound

type CacheBounds<Value> = SizeBound<Value> & {
  /** Entries older than this are loaded again. */
  lifetimeMs?: number
  /** A change of one of these owners deletes the value. Must always be the same ones for one value. */
  ownersOf?: (value: Value) => readonly string[]
  /** Called with each value that leaves the cache. */
  onRemove?: (value: Value) => void
}

/** Bounded by bytes or entries: the least recently used are evicted first. */
export class BoundedCache<Value extends object | number | boolean> {
  readonly #entries: LRUCache<string, Value>
  readonly #loading = new Map<string, Promise<Value>>()
  /** The keys of each owner. */
  readonly #owned = new Map<string, Set<string>>()
  #removals = 0

  constructor(bounds: CacheBounds<Value>) {
    const { lifetimeMs, ownersOf, onRemove } = bounds
    this.#entries = new LRUCache<string, Value>({
      // A bound by number would reserve the memory of all entries at the start; a size of one each does not.
      ...('maxEntries' in bounds
        ? { maxSize: bounds.maxEntries, sizeCalculation: () => 1 }
        : {
            maxSize: bounds.maxBytes,
            sizeCalculation: (value, key) => ENTRY_BYTES + key.length + Math.ceil(bounds.bytesOf(value)),
          }),
      ...(lifetimeMs !== undefined && { ttl: lifetimeMs, perf: Date }),
      ...(ownersOf && { onInsert: (value, key) => this.#own(ownersOf(value), key) }),
      ...((ownersOf || onRemove) && {
        dispose: (value, key) => {
          if (ownersOf) this.#disown(ownersOf(value), key)
          onRemove?.(value)
        },
      }),
    })
  }

  /** Never exceeds the bound, provided that `bytesOf` is accurate. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  /** Grows whenever something was removed because it may be stale. */
  get removals(): number {
    return this.#removals
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  values(): Iterable<Value> {
    return this.#entries.values()
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value)
  }

  /**
   * Call before reading the value to store. After a `delete` or `clear` in between it may be stale, and is
   * not stored.
   */
  beginRead(): (key: string, value: Value) => void {
    const before = this.#removals
    return (key, value) => {
      if (before === this.#removals) this.set(key, value)
    }
  }

  delete(key: string): void {
    this.#removals += 1
    this.#entries.delete(key)
    this.#loading.delete(key)
  }

  clear(): void {
    this.#removals += 1
    this.#entries.clear()
    this.#loading.clear()
  }

  deleteOwner(owner: string): void {
    this.#removals += 1
    for (const key of Array.from(this.#owned.get(owner) ?? [])) this.delete(key)
  }

  /** Concurrent calls for the same key share one load. Failures are not cached. */
  load(key: string, make: () => Promise<Value>): Value | Promise<Value> {
    const known = this.#entries.get(key) ?? this.#loading.get(key)
    if (known !== undefined) return known
    // After a `delete` or `clear` the value may be stale: it is returned to waiting callers, but not stored.
    const isCurrent = () => this.#loading.get(key) === loading
    const loading: Promise<Value> = make()
      .then((value) => {
        if (isCurrent()) this.#entries.set(key, value)
        return value
      })
      .finally(() => {
        if (isCurrent()) this.#loading.delete(key)
      })
    this.#loading.set(key, loading)
    return loading
  }

  #own(owners: readonly string[], key: string): void {
    for (const owner of owners) this.#owned.set(owner, (this.#owned.get(owner) ?? new Set()).add(key))
  }

  #disown(owners: readonly string[], key: string): void {
    for (const owner of owners) {
      const keys = this.#owned.get(owner)
      keys?.delete(key)
      if (keys?.size === 0) this.#owned.delete(owner)
    }
  }
}
