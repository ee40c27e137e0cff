import { createSemaphore } from './semaphore.ts'

/** Holds a slot until it is disposed. */
export interface TimeSlice extends Disposable {
  /** Others wait for a slot. */
  isWanted(): boolean
  /** Others wait, and this slice has lasted its time. */
  isExpired(): boolean
}

export interface TimeSlices {
  /** First come, first served. */
  acquire(): Promise<TimeSlice>
}

/** For work that only a few may do at a time, each of them for about `sliceMs` when others wait. */
export function createTimeSlices(slots: number, sliceMs: number): TimeSlices {
  const semaphore = createSemaphore(slots)
  const isWanted = () => semaphore.isAwaited()
  return {
    async acquire() {
      const slot = await semaphore.acquire()
      const endsAt = performance.now() + sliceMs
      const isExpired = () => isWanted() && performance.now() >= endsAt
      return { isWanted, isExpired, [Symbol.dispose]: () => slot[Symbol.dispose]() }
    },
  }
}
