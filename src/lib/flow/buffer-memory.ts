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

interface ReceiveBudget {
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

const STEP_BYTES = 16 * 1024 ** 2

/**
 * Runs the garbage collector after every `stepBytes` bytes: the runtime hardly counts bytes outside its heap,
 * so memory would otherwise grow by hundreds of megabytes.
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

/** Whether nothing else can have a view of the same memory. */
export function ownsBuffer(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
}

/** Frees memory now: the runtime hardly counts it, so garbage would grow by hundreds of megabytes. */
export function freeBuffer(bytes: Uint8Array): void {
  if (ownsBuffer(bytes)) bytes.buffer.transfer(0)
}
