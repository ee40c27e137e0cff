/** A small seeded generator (mulberry32): the same seed makes the same choices everywhere. */
export function createRandom(seed: number | string) {
  let state = typeof seed === 'number' ? seed >>> 0 : Bun.hash.xxHash32(seed)

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  const below = (limit: number) => Math.floor(next() * limit)

  function pick<Item>(items: readonly Item[]): Item {
    const item = items[below(items.length)]
    if (item === undefined) throw new Error('Nothing to pick from')
    return item
  }

  return {
    next,
    /** A whole number from 0 up to, but not including, the limit. */
    below,
    between: (low: number, high: number) => low + next() * (high - low),
    chance: (share: number) => next() < share,
    pick,
    /** Picks `count` items without repetition, in the order drawn. */
    draw<Item>(items: readonly Item[], count: number): Item[] {
      const left = [...items]
      return Array.from({ length: Math.min(count, left.length) }, () =>
        left.splice(below(left.length), 1),
      ).flat()
    },
  }
}

export type Random = ReturnType<typeof createRandom>
