import { BoundedCache, type CacheBounds } from '../../../lib/bounded-cache.ts'

/**
 * Caches what was computed from one generation of the index. A newer generation empties the cache; a computation that
 * began with an older one neither reads from it nor writes to it.
 */
export class GenerationCache<Value extends object> {
  readonly #cache: BoundedCache<Value>
  #generation = -1

  constructor(bounds: CacheBounds<Value>) {
    this.#cache = new BoundedCache(bounds)
  }

  async load(generation: number, key: string, make: () => Promise<Value>): Promise<Value> {
    if (generation < this.#generation) return await make()
    if (generation > this.#generation) {
      this.#cache.clear()
      this.#generation = generation
    }
    return await this.#cache.load(key, make)
  }
}
