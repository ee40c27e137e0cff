import { AppError } from '../errors.ts'

/** The memory of one file that is being received, until it is disposed. */
export interface Receipt extends Disposable {
  /** Aborts when the memory is needed for others. */
  signal: AbortSignal
  /** Counts bytes as they arrive. */
  add(bytes: number): void
  /** The file has arrived: it is not ended any more. */
  complete(): void
}

export interface ReceiveBudget {
  open(): Receipt
}

/**
 * Bounds the memory of files that arrive from many senders. Nobody waits for the bytes of others: when the memory runs
 * out, the file that has been arriving longest is ended.
 */
export function createReceiveBudget(maxBytes: number): ReceiveBudget {
  /** In the order in which they began. */
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
