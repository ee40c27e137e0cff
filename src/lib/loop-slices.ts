/** So long may computations hold the event loop before requests, timers and sockets are served. */
const SLICE_MS = 8

const waiting: (() => void)[] = []
/** When the slice of this turn of the loop ends; 0 before one has begun. */
let sliceEnd = 0

/**
 * For computations that may take long: every few hundred steps `if (isSliceOver()) await nextSlice()`. All of them share
 * one slice per turn of the event loop and take turns, so that many at once block it no longer than one.
 */
export function isSliceOver(): boolean {
  const now = performance.now()
  if (sliceEnd === 0) {
    sliceEnd = now + SLICE_MS
    setImmediate(beginTurn)
  }
  return now >= sliceEnd
}

export function nextSlice(): Promise<void> {
  return new Promise((resolve) => void waiting.push(resolve))
}

function beginTurn(): void {
  sliceEnd = 0
  const resume = waiting.shift()
  if (!resume) return
  sliceEnd = performance.now() + SLICE_MS
  setImmediate(beginTurn)
  resume()
}
