export interface FairSemaphore {
  /** Owners are served in turn; the waiters of one owner first come, first served. Dispose the result to release it. */
  acquire(owner: string, signal?: AbortSignal): Promise<Disposable>
  /** Null if nothing is free for this owner now, or others wait for it. */
  tryAcquire(owner: string): Disposable | null
  /** Whether somebody waits for what this owner holds. */
  isAwaited(owner: string): boolean
}

/** Limits concurrent work in all and per owner, so that one owner can never hold everything. */
export function createFairSemaphore(capacity: number, perOwner: number): FairSemaphore {
  /** In the order of their turns. */
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

  /** An owner who was served goes to the end, where this loop comes by again. */
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
