import { createFairSemaphore } from './fair-semaphore.ts'

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
  /** Owners are served in turn. */
  acquire(owner?: string, signal?: AbortSignal): Promise<TimeSlice>
}

export interface SliceBounds {
  slots: number
  /** Defaults to all. */
  perOwner?: number
  sliceMs: number
}

/** Work of the program itself. */
const NOBODY = ''

/** Limits how many can work at a time, in all and of one owner, each for about `sliceMs` when others wait. */
export function createTimeSlices({ slots, perOwner = slots, sliceMs }: SliceBounds): TimeSlices {
  const semaphore = createFairSemaphore(slots, perOwner)
  return {
    async acquire(owner = NOBODY, signal) {
      const slot = await semaphore.acquire(owner, signal)
      const endsAt = performance.now() + sliceMs
      const isWanted = () => semaphore.isAwaited(owner)
      return {
        isWanted,
        isExpired: () => isWanted() && performance.now() >= endsAt,
        tryExtend: () => semaphore.tryAcquire(owner),
        [Symbol.dispose]: () => slot[Symbol.dispose](),
      }
    },
  }
}
