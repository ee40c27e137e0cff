export interface Watched<Value> {
  value: Value
  /**
   * The longest time the event loop was blocked, in milliseconds. Limited to the CPU time that this process
   * used, so that waiting for a busy machine does not count.
   */
  lag: number
}

/** Server and test share one event loop, so a late timer shows how long a request blocks it. */
export async function watchLoop<Value>(work: () => Promise<Value>): Promise<Watched<Value>> {
  let lag = 0
  let last = performance.now()
  let lastUsed = processorMs()
  const look = () => {
    const [now, used] = [performance.now(), processorMs()]
    lag = Math.max(lag, Math.min(now - last, used - lastUsed))
    ;[last, lastUsed] = [now, used]
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

/** Of all threads of the process. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
