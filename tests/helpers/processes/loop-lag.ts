export interface Watched<Value> {
  value: Value
  /** The longest time the event loop was blocked, in milliseconds. */
  lag: number
}

/** Server and test share one event loop, so a late timer shows how long a request blocks it. */
export async function watchLoop<Value>(work: () => Promise<Value>): Promise<Watched<Value>> {
  let lag = 0
  let last = performance.now()
  const look = () => {
    const now = performance.now()
    lag = Math.max(lag, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  try {
    const value = await work()
    look()
    return { value, lag }
  } finally {
    clearInterval(timer)
  }
}
