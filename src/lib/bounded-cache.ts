import { LRUCache } from 'lru-cache'

/** What the cache itself needs for an entry. */
const ENTRY_BYTES = 200

export interface CacheBounds<Value> {
  maxBytes: number
  /** Roughly; the key is counted by the cache. */
  bytesOf: (value: Value) => number
  /** Entries older than this are loaded again. */
  lifetimeMs?: number
}

/** Bounded by bytes: entries that were not used the longest are evicted first. */
export class BoundedCache<Value extends object> {
  readonly #entries: LRUCache<string, Value>
  readonly #loading = new Map<string, Promise<Value>>()

  constructor({ maxBytes, bytesOf, lifetimeMs }: CacheBounds<Value>) {
    this.#entries = new LRUCache<string, Value>({
      maxSize: maxBytes,
      sizeCalculation: (value, key) => ENTRY_BYTES + key.length + Math.ceil(bytesOf(value)),
      ...(lifetimeMs !== undefined && { ttl: lifetimeMs, perf: Date }),
    })
  }

  /** At most the bound, as far as `bytesOf` is right. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
    this.#loading.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#loading.clear()
  }

  deleteWhere(isGone: (value: Value) => boolean): void {
    for (const [key, value] of [...this.#entries.entries()]) if (isGone(value)) this.delete(key)
  }

  /** Callers that ask for the same key meanwhile share one load. Failures are not cached. */
  load(key: string, make: () => Promise<Value>): Value | Promise<Value> {
    const known = this.#entries.get(key) ?? this.#loading.get(key)
    if (known !== undefined) return known
    // After a `delete` or `clear` the value may be stale: it is returned to those who wait, but not stored.
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
}
