import { loadProgress, saveProgress } from './progress.mjs'

/** A tower is a list of stones from the bottom up: `x` is the middle of a stone, `width` and `height` its size. */

/** The first stone lies on the beach, which carries everything. */
export const BEACH = { x: 0, width: 1000 }

/** How many stones stay: those above the first one whose load leans past the edge of what carries it fall. */
export function countStanding(stones) {
  for (let at = 0; at < stones.length; at += 1) {
    const below = stones[at - 1] ?? BEACH
    const left = Math.max(below.x - below.width / 2, stones[at].x - stones[at].width / 2)
    const right = Math.min(below.x + below.width / 2, stones[at].x + stones[at].width / 2)
    const middle = middleOfMass(stones.slice(at))
    if (middle < left || middle > right) return at
  }
  return stones.length
}

/** Where the mass of the stones is, from 0 in the middle to 1 at the edge that would let the tower fall. */
export function leanOf(stones) {
  const [first] = stones
  return first ? Math.abs(middleOfMass(stones) - first.x) / (first.width / 2) : 0
}

export function heightOf(stones) {
  return stones.reduce((sum, { height }) => sum + height, 0)
}

function middleOfMass(stones) {
  const mass = stones.reduce((sum, { width, height }) => sum + width * height, 0)
  return stones.reduce((sum, { x, width, height }) => sum + x * width * height, 0) / mass
}

const HOUR_MS = 3_600_000
/** The wind takes a stone for every six hours nobody looked, but leaves three. */
const WIND_HOURS = 6
const SAFE = 3

export function save(stones, best) {
  saveProgress({ stones, best, at: Date.now() })
}

/** The tower as it was left, less what the wind took. */
export async function load() {
  const { stones, best, at } = (await loadProgress()) ?? { stones: [], best: 0, at: Date.now() }
  const blown = Math.floor((Date.now() - at) / HOUR_MS / WIND_HOURS)
  const left = Math.max(Math.min(SAFE, stones.length), stones.length - Math.max(0, blown))
  return { stones: stones.slice(0, left), best, taken: stones.length - left }
}
