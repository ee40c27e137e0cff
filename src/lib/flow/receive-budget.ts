import { AppError } from '../../errors.ts'

/** The memory of one file being received, released on dispose. */
export interface Receipt extends Disposable {
  /** Aborts when other files need the memory. */
  signal: AbortSignal
  /** Counts bytes as they arrive. */
  add(bytes: number): void
  /** Marks the file as received: it is no longer aborted. */
  complete(): void
}

export interface ReceiveBudget {
  open(): Receipt
}

/**
 * Bounds the memory of files received from many senders. No sender waits for another: when the memory runs
 * out, the file that has been arriving longest is aborted.
 */
export function createReceiveBudget(maxBytes: number): ReceiveBudget {
  /** Oldest first. */
  const arriving = new Set<Arriving>()
  let total = 0

  function release(file: Arriving): void {
    arriving.delete(file)
    total -= file.size
    file.size = 0
  }

  function endOldest(): void {
    for (const file of arriving) {
      if (total <= maxBytes) return
      release(file)
      file.stop.abort(tooMuch())
    }
  }

  return {
    open() {
      const file: Arriving = { size: 0, stop: new AbortController() }
      arriving.add(file)
      return {
        signal: file.stop.signal,
        add(bytes) {
          if (file.stop.signal.aborted) return
          file.size += bytes
          total += bytes
          endOldest()
        },
        complete: () => void arriving.delete(file),
        [Symbol.dispose]: () => release(file),
      }
    },
  }
}

interface Arriving {
  size: number
  stop: AbortController
}

function tooMuch(): AppError {
  return new AppError('rate_limited', {
    message: 'Too many files are arriving at once, and this one took longest. Send it again in a minute.',
    headers: { 'retry-after': '60' },
  })
}
