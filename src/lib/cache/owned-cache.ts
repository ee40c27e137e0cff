import { LRUCache } from 'lru-cache'

export interface OwnedCacheOptions<Value> {
  /** The least recently used entries are evicted first. */
  maxEntries: number
  /** Entries older than this are loaded again. */
  lifetimeMs: number
  ownerOf: (value: Value) => string
}

/** A cache whose entries belong to owners, so that all entries of one owner can be deleted at once. */
export class OwnedCache<Value extends object> {
  readonly #entries: LRUCache<string, Value>
  readonly #keysOf = new Map<string, Set<string>>()
  readonly #ownerOf: (value: Value) => string
  #invalidations = 0

  constructor({ maxEntries, lifetimeMs, ownerOf }: OwnedCacheOptions<Value>) {
    this.#ownerOf = ownerOf
    this.#entries = new LRUCache<string, Value>({
      ...{ max: maxEntries, ttl: lifetimeMs, perf: Date },
      dispose: (value, key) => this.#unlist(ownerOf(value), key),
    })
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  /**
   * Call before reading the value to store. After a deletion in between it may be stale, and is not stored.
   */
  beginRead(): (key: string, value: Value) => void {
    const before = this.#invalidations
    return (key, value) => {
      if (before === this.#invalidations) this.#set(key, value)
    }
  }

  deleteOwner(owner: string): void {
    this.#invalidations += 1
    for (const key of [...(this.#keysOf.get(owner) ?? [])]) this.#entries.delete(key)
  }

  clear(): void {
    this.#invalidations += 1
    this.#entries.clear()
  }

  #set(key: string, value: Value): void {
    this.#entries.set(key, value)
    const owner = this.#ownerOf(value)
    const keys = this.#keysOf.get(owner) ?? new Set()
    this.#keysOf.set(owner, keys.add(key))
  }

  #unlist(owner: string, key: string): void {
    const keys = this.#keysOf.get(owner)
    keys?.delete(key)
    if (keys?.size === 0) this.#keysOf.delete(owner)
  }
}
