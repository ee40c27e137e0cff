/** From this average number of requests in progress the thread counts as busy. */
const BUSY_REQUESTS = 4
/** The time over which that average is taken. */
const BUSY_MS = 2000

/**
 * Measures what each request costs this thread. Requests take turns on it, and the CPU time of a single one cannot be
 * read. So each moment is split evenly among the requests in progress: exact for one that is never interrupted, and over
 * many requests a fair estimate for all.
 */
export class CpuMeter {
  /** What a request would have used if it had been in progress all the time. */
  share = 0
  #active = 0
  #average = 0
  #averagedAt: number
  #readAt: number

  constructor(
    private readonly now: () => number,
    private readonly readCpu: () => number = createThreadClock(),
  ) {
    this.#averagedAt = now()
    this.#readAt = readCpu()
  }

  start(): Measurement {
    return new Measurement(this)
  }

  /** Whether so many requests are in progress that some of them should wait. */
  isBusy(): boolean {
    this.#settleAverage()
    return this.#average >= BUSY_REQUESTS
  }

  /** Changes the number of requests in progress. */
  add(requests: 1 | -1): void {
    const time = this.readCpu()
    if (this.#active > 0) this.share += (time - this.#readAt) / this.#active
    this.#readAt = time
    this.#settleAverage()
    this.#active += requests
  }

  #settleAverage(): void {
    const time = this.now()
    this.#average =
      this.#active + (this.#average - this.#active) * Math.exp((this.#averagedAt - time) / BUSY_MS)
    this.#averagedAt = time
  }
}

/** The cost of one request so far. */
export class Measurement {
  #used = 0
  #from = 0
  #isCounted = false

  constructor(private readonly meter: CpuMeter) {
    this.resume()
  }

  /** While the request waits for its own body, it costs nothing. */
  pause(): void {
    if (!this.#isCounted) return
    this.meter.add(-1)
    this.#used += this.meter.share - this.#from
    this.#isCounted = false
  }

  resume(): void {
    if (this.#isCounted) return
    this.meter.add(1)
    this.#from = this.meter.share
    this.#isCounted = true
  }

  /** The milliseconds of CPU time. */
  end(): number {
    this.pause()
    return this.#used
  }
}

/** Reading the thread's CPU time takes as long as many small steps, so for a moment wall-clock time stands in. */
const CPU_READ_MS = 0.2

/** Milliseconds of this thread's CPU time. Now and then it runs ahead by a moment, which the next reading takes back. */
function createThreadClock(): () => number {
  let cpuMs = 0
  let readAt = -CPU_READ_MS
  return () => {
    const time = performance.now()
    if (time - readAt < CPU_READ_MS) return cpuMs + time - readAt
    const { user, system } = process.threadCpuUsage()
    readAt = time
    return (cpuMs = (user + system) / 1000)
  }
}
