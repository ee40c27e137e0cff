export interface Memoized<Value> {
  (): Promise<Value>
  /** Loads now, even if the cached value is fresh. */
  refresh(): Promise<Value>
}

/** Loads at most once per `lifetimeMs`; calls during a load share it. Failures are not cached. */
export function memoize<Value>(
  lifetimeMs: number,
  load: () => Promise<Value>,
  now: () => number = Date.now,
): Memoized<Value> {
  let cached: Promise<Value> | null = null
  let loadedAt = 0

  function refresh(): Promise<Value> {
    const loading = load()
    loading.catch(() => {
      if (cached === loading) cached = null
    })
    cached = loading
    loadedAt = now()
    return loading
  }

  const read = () => (cached !== null && now() - loadedAt < lifetimeMs ? cached : refresh())
  return Object.assign(read, { refresh })
}
