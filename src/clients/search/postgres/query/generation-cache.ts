import { BoundedCache, type CacheBounds } from '../../../../lib/cache/bounded-cache.ts'

/**
 * Caches values computed from one generation of the index. A newer generation clears the cache; a computation
 * that started with an older one neither reads nor writes it.
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
