const STEP_BYTES = 16 * 1024 ** 2

/**
 * Collects used buffers after every so many bytes. The runtime waits longer, because it hardly counts the bytes outside
 * its heap, and memory would grow by hundreds of megabytes.
 */
export function createCollector(stepBytes = STEP_BYTES): (bytes: number) => void {
  let pending = 0
  return (bytes) => {
    pending += bytes
    if (pending < stepBytes) return
    pending = 0
    Bun.gc(true)
  }
}
