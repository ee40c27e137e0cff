type ReadMany<Value> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>

interface Round<Value> {
  keys: Set<string>
  found: Promise<ReadonlyMap<string, Value>>
}

/**
 * Reads for many callers at once: whoever asks while a read is under way shares the next one. Every answer comes from
 * a read that began after it was asked for. Reads begin at least `apartMs` apart, so that more callers share one.
 */
export function coalesce<Value>(
  readMany: ReadMany<Value>,
  apartMs = 0,
): (key: string) => Promise<Value | undefined> {
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

  return async (key) => {
    if (next === null) {
      const keys = new Set<string>()
      next = { keys, found: run(keys) }
    }
    next.keys.add(key)
    return (await next.found).get(key)
  }
}

async function rest(reading: Promise<unknown>, until: number): Promise<void> {
  await reading.catch(() => undefined)
  const left = until - performance.now()
  if (left > 0) await Bun.sleep(left)
}
