type ReadMany<Value> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>

interface Round<Value> {
  keys: Set<string>
  found: Promise<ReadonlyMap<string, Value>>
}

/**
 * Reads for many callers at once: whoever asks while a read is under way shares the next one. Every answer comes from
 * a read that began after it was asked for.
 */
export function coalesce<Value>(readMany: ReadMany<Value>): (key: string) => Promise<Value | undefined> {
  let current: Promise<unknown> = Promise.resolve()
  let next: Round<Value> | null = null

  async function run(keys: Set<string>): Promise<ReadonlyMap<string, Value>> {
    await current
    next = null
    const found = readMany([...keys])
    current = found.catch(() => undefined)
    return await found
  }

  return async (key) => {
    if (next === null) {
      const keys = new Set<string>()
      next = { keys, found: run(keys) }
    }
    next.keys.add(key)
    return (await next.found).get(key)
  }
}
