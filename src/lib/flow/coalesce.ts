type ReadMany<Value> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>

interface Round<Value> {
  keys: Set<string>
  found: Promise<ReadonlyMap<string, Value>>
}

/** `coalesceMany` for calls that read one key. */
export function coalesce<Value>(
  readMany: ReadMany<Value>,
  apartMs = 0,
): (key: string) => Promise<Value | undefined> {
  const read = coalesceMany(readMany, apartMs)
  return async (key) => (await read([key])).get(key)
}

/**
 * Merges reads: calls made while a read is in flight share the next one, so every result comes from a read that
 * started after the call; it also holds the keys of the other calls. Reads start at least `apartMs` apart, so that
 * more calls share one.
 */
export function coalesceMany<Value>(readMany: ReadMany<Value>, apartMs = 0): ReadMany<Value> {
  let current: Promise<unknown> = Promise.resolve()
  let next: Round<Value> | null = null

  async function run(keys: Set<string>): Promise<ReadonlyMap<string, Value>> {
    await current
    next = null
    const mayFollowAt = performance.now() + apartMs
    const found = readMany([...keys])
    current = rest(found, mayFollowAt)
    return await found
  }

  return async (wanted) => {
    if (next === null) {
      const keys = new Set<string>()
      next = { keys, found: run(keys) }
    }
    for (const key of wanted) next.keys.add(key)
    return await next.found
  }
}

async function rest(reading: Promise<unknown>, until: number): Promise<void> {
  await reading.catch(() => undefined)
  const left = until - performance.now()
  if (left > 0) await Bun.sleep(left)
}
