interface FairSemaphore {
  /** Owners are served in turn; the waiters of one owner first come, first served. Dispose the result to release it. */
  acquire(owner: string, signal?: AbortSignal): Promise<Disposable>
  /** Null if nothing is free for this owner now, or others wait for it. */
  tryAcquire(owner: string): Disposable | null
  /** Whether a waiting caller could use what this owner holds. */
  isAwaited(owner: string): boolean
}

/** Limits concurrent work in all and per owner, so that one owner can never hold everything. */
export function createFairSemaphore(capacity: number, perOwner: number): FairSemaphore {
  /** In the order in which owners are served. */
  const waiting = new Map<string, (() => void)[]>()
  const held = new Map<string, number>()
  let used = 0

  const heldBy = (owner: string) => held.get(owner) ?? 0

  function take(owner: string): void {
    used += 1
    held.set(owner, heldBy(owner) + 1)
  }

  function release(owner: string): void {
    used -= 1
    const left = heldBy(owner) - 1
    if (left > 0) held.set(owner, left)
    else held.delete(owner)
    startNext()
  }

  /** A served owner moves to the end of the map, so this loop reaches it again. */
  function startNext(): void {
    for (const [owner, queue] of waiting) {
      if (used >= capacity) return
      if (heldBy(owner) >= perOwner) continue
      const start = queue.shift()
      waiting.delete(owner)
      if (queue.length > 0) waiting.set(owner, queue)
      take(owner)
      start?.()
    }
  }

  function isAwaited(owner: string): boolean {
    for (const other of waiting.keys()) if (other === owner || heldBy(other) < perOwner) return true
    return false
  }

  function hold(owner: string): Disposable {
    return { [Symbol.dispose]: () => release(owner) }
  }

  return {
    isAwaited,
    tryAcquire(owner) {
      if (used >= capacity || heldBy(owner) >= perOwner || isAwaited(owner)) return null
      take(owner)
      return hold(owner)
    },
    async acquire(owner, signal) {
      signal?.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        function start(): void {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        }
        function giveUp(): void {
          const others = waiting.get(owner)?.filter((each) => each !== start) ?? []
          if (others.length > 0) waiting.set(owner, others)
          else waiting.delete(owner)
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', giveUp)
        waiting.set(owner, [...(waiting.get(owner) ?? []), start])
        startNext()
      })
      return hold(owner)
    },
  }
}

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

interface SliceBounds {
  slots: number
  /** Defaults to all. */
  perOwner?: number
  sliceMs: number
}

/** The owner of work that the program does for itself. */
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
