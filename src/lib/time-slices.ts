import { createSemaphore } from './semaphore.ts'

/** A slot, released on dispose. */
export interface TimeSlice extends Disposable {
  /** Whether others wait for a slot. */
  isWanted(): boolean
  /** Whether others wait and this slice has used up its time. */
  isExpired(): boolean
  /** Another slot for the same work; null if none is free. */
  tryExtend(): Disposable | null
}

export interface TimeSlices {
  /** First come, first served. */
  acquire(signal?: AbortSignal): Promise<TimeSlice>
}

/** Limits how many can work at a time, each for about `sliceMs` when others wait. */
export function createTimeSlices(slots: number, sliceMs: number): TimeSlices {
  const semaphore = createSemaphore(slots)
  const isWanted = () => semaphore.isAwaited()
  const tryExtend = () => semaphore.tryAcquire()
  return {
    async acquire(signal) {
      const slot = await semaphore.acquire(1, signal)
      const endsAt = performance.now() + sliceMs
      const isExpired = () => isWanted() && performance.now() >= endsAt
      return { isWanted, isExpired, tryExtend, [Symbol.dispose]: () => slot[Symbol.dispose]() }
    },
  }
}
