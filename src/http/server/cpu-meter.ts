/** Measures what each request costs this thread. */
interface CpuMeter {
  start(): Measurement
  /** Whether so many requests are in progress that some of them should wait. */
  isBusy(): boolean
}

/** From this average number of requests in progress the thread counts as busy. */
const BUSY_REQUESTS = 4
/** The time over which that average is taken. */
const BUSY_MS = 2000

export interface Measurement {
  /** While the request waits for its own body, it costs nothing. */
  pause(): void
  resume(): void
  /** The milliseconds of CPU time so far. */
  end(): number
}

/**
 * Requests take turns on one thread, where the CPU time of a single one cannot be measured. So each moment is
 * split evenly among the requests in progress: exact for one that is never interrupted, and over many
 * requests a fair estimate for all.
 */
export function createCpuMeter(now: () => number, readCpu: () => number = readThreadCpu): CpuMeter {
  let active = 0
  let average = 0
  let averagedAt = now()
  let readAt = readCpu()
  /** What a request would have used if it had been in progress all the time. */
  let share = 0

  function add(requests: 1 | -1): void {
    const time = readCpu()
    if (active > 0) share += (time - readAt) / active
    readAt = time
    settleAverage()
    active += requests
  }

  function settleAverage(): void {
    const time = now()
    if (time === averagedAt) return
    average = active + (average - active) * Math.exp((averagedAt - time) / BUSY_MS)
    averagedAt = time
  }

  return {
    isBusy() {
      settleAverage()
      return average >= BUSY_REQUESTS
    },
    start() {
      let used = 0
      let isCounted = false
      let from = 0
      const resume = () => {
        if (isCounted) return
        add(1)
        from = share
        isCounted = true
      }
      const pause = () => {
        if (!isCounted) return
        add(-1)
        used += share - from
        isCounted = false
      }
      resume()
      return {
        pause,
        resume,
        end() {
          pause()
          return used
        },
      }
    },
  }
}

function readThreadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
