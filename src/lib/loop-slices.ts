/** How long computations may hold the event loop before requests, timers and sockets are served. */
const SLICE_MS = 8

const waiting: (() => void)[] = []
/** When the current slice ends; 0 if none has begun. */
let sliceEnd = 0

/**
 * For long computations: call `if (isSliceOver()) await nextSlice()` every few hundred steps. All of them
 * share one slice per event loop iteration, so that many at once block it no longer than one.
 */
export function isSliceOver(): boolean {
  const now = performance.now()
  if (sliceEnd === 0) {
    sliceEnd = now + SLICE_MS
    setImmediate(beginSlice)
  }
  return now >= sliceEnd
}

export function nextSlice(): Promise<void> {
  return new Promise((resolve) => void waiting.push(resolve))
}

function beginSlice(): void {
  sliceEnd = 0
  const resume = waiting.shift()
  if (!resume) return
  sliceEnd = performance.now() + SLICE_MS
  setImmediate(beginSlice)
  resume()
}
