export interface Semaphore {
  /** Waits until the weight fits, first come, first served. Dispose the result to release it. */
  acquire(weight?: number, signal?: AbortSignal): Promise<Disposable>
  /** Null if the weight does not fit now, or others wait. */
  tryAcquire(weight?: number): Disposable | null
  isAwaited(): boolean
}

/** Limits concurrent work: the sum of the weights in use never exceeds the capacity. */
export function createSemaphore(capacity: number): Semaphore {
  const waiting: { weight: number; start: () => void }[] = []
  let used = 0

  function startNext(): void {
    for (let next = waiting[0]; next && used + next.weight <= capacity; next = waiting[0]) {
      waiting.shift()
      used += next.weight
      next.start()
    }
  }

  function hold(weight: number): Disposable {
    return {
      [Symbol.dispose]() {
        used -= weight
        startNext()
      },
    }
  }

  return {
    isAwaited: () => waiting.length > 0,
    tryAcquire(weight = 1) {
      if (waiting.length > 0 || used + weight > capacity) return null
      used += weight
      return hold(weight)
    },
    async acquire(weight = 1, signal) {
      signal?.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        const entry = { weight, start }
        function start(): void {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        }
        function giveUp(): void {
          waiting.splice(waiting.indexOf(entry), 1)
          reject(signal?.reason)
          startNext()
        }
        signal?.addEventListener('abort', giveUp)
        waiting.push(entry)
        startNext()
      })
      return hold(weight)
    },
  }
}

interface KeyedSemaphore {
  acquire(key: string, signal?: AbortSignal): Promise<Disposable>
  /** Null if nothing is free for the key now. */
  tryAcquire(key: string): Disposable | null
}

/** A separate semaphore for every key, such as an account, removed when it is no longer used. */
export function createKeyedSemaphore(capacity: number): KeyedSemaphore {
  const inUse = new Map<string, { semaphore: Semaphore; users: number }>()

  function enter(key: string) {
    const entry = inUse.get(key) ?? { semaphore: createSemaphore(capacity), users: 0 }
    inUse.set(key, entry)
    entry.users += 1
    const stack = new DisposableStack()
    stack.defer(() => {
      entry.users -= 1
      if (entry.users === 0) inUse.delete(key)
    })
    return { stack, semaphore: entry.semaphore }
  }

  return {
    tryAcquire(key) {
      const { stack, semaphore } = enter(key)
      const held = semaphore.tryAcquire()
      if (held) stack.use(held)
      else stack.dispose()
      return held && stack
    },
    async acquire(key, signal) {
      const { stack, semaphore } = enter(key)
      try {
        stack.use(await semaphore.acquire(1, signal))
        return stack
      } catch (error) {
        stack.dispose()
        throw error
      }
    },
  }
}
