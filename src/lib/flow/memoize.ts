/** Makes the value on the first call and returns the same one from then on. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** Makes the value for a key and keeps it until another key is requested. */
export function forLatest<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  let latest: { key: Key; value: Value } | undefined
  return (key) => {
    if (latest === undefined || latest.key !== key) latest = { key, value: make(key) }
    return latest.value
  }
}

interface Memoized<Value> {
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
