/** From this average number of requests in progress the thread counts as busy. */
const BUSY_REQUESTS = 4
/** The time over which that average is taken. */
const BUSY_MS = 2000
/** The average is taken anew no sooner than this, because changes are many times as frequent. */
const AVERAGE_MS = 20

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
  /** Requests in progress, summed over the time since the average was taken. */
  #load = 0
  #averagedAt: number
  #changedAt: number
  #readAt: number

  constructor(
    private readonly now: () => number,
    private readonly readCpu: (time: number) => number = createThreadClock(),
  ) {
    const time = now()
    this.#averagedAt = time
    this.#changedAt = time
    this.#readAt = readCpu(time)
  }

  start(): Measurement {
    return new Measurement(this)
  }

  /** Whether so many requests are in progress that some of them should wait. */
  isBusy(): boolean {
    this.#advance(this.now(), 0)
    return this.#average >= BUSY_REQUESTS
  }

  /** Changes the number of requests in progress. */
  add(requests: 1 | -1): void {
    const time = this.now()
    const cpu = this.readCpu(time)
    if (this.#active > 0) this.share += (cpu - this.#readAt) / this.#active
    this.#readAt = cpu
    this.#advance(time, AVERAGE_MS)
    this.#active += requests
  }

  #advance(time: number, step: number): void {
    this.#load += this.#active * (time - this.#changedAt)
    this.#changedAt = time
    const passed = time - this.#averagedAt
    if (passed <= step) return
    const mean = this.#load / passed
    this.#average = mean + (this.#average - mean) * Math.exp(-passed / BUSY_MS)
    this.#averagedAt = time
    this.#load = 0
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
function createThreadClock(): (time: number) => number {
  let cpuMs = 0
  let readAt = -CPU_READ_MS
  return (time) => {
    if (time - readAt < CPU_READ_MS) return cpuMs + time - readAt
    const { user, system } = process.threadCpuUsage()
    readAt = time
    return (cpuMs = (user + system) / 1000)
  }
}
