/** How long computations may hold the event loop before requests, timers and sockets are served. */
const SLICE_MS = 8
/** For background work, because a request may have to wait for such a slice at each of its steps. */
export const BACKGROUND_MS = 2

const waiting: (() => void)[] = []
/** When the current slice began; 0 if none has. */
let sliceStart = 0

/**
 * For long computations: call `if (isSliceOver()) await nextSlice()` every few hundred steps. All of them
 * share one slice per event loop iteration, so that many at once block it no longer than one.
 */
export function isSliceOver(sliceMs = SLICE_MS): boolean {
  const now = performance.now()
  if (sliceStart === 0) {
    sliceStart = now
    setImmediate(beginSlice)
  }
  return now - sliceStart >= sliceMs
}

export function nextSlice(): Promise<void> {
  return new Promise((resolve) => void waiting.push(resolve))
}

function beginSlice(): void {
  sliceStart = 0
  const resume = waiting.shift()
  if (!resume) return
  sliceStart = performance.now()
  setImmediate(beginSlice)
  resume()
}
