/**
 * Distinct offsets that leave the set when a range takes them. Each offset is visited once, however many ranges
 * overlap: taken ones are skipped by links to the next one left, shortened as they are followed.
 */
export class SortedOffsets {
  readonly #offsets: readonly number[]
  /** Per place, the next place to look at: itself while its offset is in the set. */
  readonly #next: Uint32Array
  #left: number

  constructor(offsets: Iterable<number>) {
    this.#offsets = [...new Set(offsets)].sort((a, b) => a - b)
    this.#next = Uint32Array.from({ length: this.#offsets.length + 1 }, (_, place) => place)
    this.#left = this.#offsets.length
  }

  get isEmpty(): boolean {
    return this.#left === 0
  }

  /** Every offset, also those that were taken. */
  get all(): readonly number[] {
    return this.#offsets
  }

  /** Removes and returns the offsets from `start` up to, but not including, `end`. */
  take(start: number, end: number): number[] {
    const taken: number[] = []
    for (let place = this.#follow(this.placeOf(start)); ; place = this.#follow(place + 1)) {
      const offset = this.#offsets[place]
      if (offset === undefined || !(offset < end)) return taken
      taken.push(offset)
      this.#next[place] = place + 1
      this.#left -= 1
    }
  }

  /** The index of the first offset at or after the address, taken or not. */
  placeOf(address: number): number {
    let [low, high] = [0, this.#offsets.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#offsets[middle] ?? 0) < address) low = middle + 1
      else high = middle
    }
    return low
  }

  #follow(place: number): number {
    const next = this.#next
    let at = place
    while (next[at] !== undefined && next[at] !== at) {
      const after = next[at] ?? at
      next[at] = next[after] ?? after
      at = next[at] ?? at
    }
    return at
  }
}
