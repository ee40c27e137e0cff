import type { WorkerEvents, WorkerPool } from 'graphile-worker'

import { createSemaphore } from '../lib/flow/semaphore.ts'

/** Marks a job of the queue as one of this owner. */
export function ownerFlag(owner: string): string {
  return `owner:${owner}`
}

/**
 * Returns the flags of the owners that have `perOwner` jobs running, for the library to skip. Jobs are fetched one at
 * a time, because two fetches at once would both miss the job that the other one starts.
 */
export function limitOwners(events: WorkerEvents, perOwner: number): () => Promise<string[]> {
  const running = new Map<string, number>()
  const fetches = createSemaphore(1)
  let current: Disposable | null = null

  const endFetch = () => {
    current?.[Symbol.dispose]()
    current = null
  }
  const count = (flags: object | null, change: 1 | -1) => {
    for (const flag of Object.keys(flags ?? {})) {
      const now = (running.get(flag) ?? 0) + change
      if (now > 0) running.set(flag, now)
      else running.delete(flag)
    }
  }
  events.on('job:start', ({ job }) => {
    count(job.flags, 1)
    endFetch()
  })
  events.on('worker:getJob:empty', endFetch)
  events.on('worker:getJob:error', endFetch)
  events.on('job:complete', ({ job }) => count(job.flags, -1))

  return async () => {
    const fetch = await fetches.acquire()
    current = fetch
    return [...running].filter(([, jobs]) => jobs >= perOwner).map(([flag]) => flag)
  }
}

/** The pause between two fetches of a lane that new jobs trigger. */
const PAUSE_MS = 50
/** Polls after this time: for jobs that have become due, and as a fallback for lost notifications. */
const POLL_MS = 1000

/**
 * The library looks for the next job of a queue before it has released the last one, and finds none. A second
 * look shortly after finds it; otherwise that job would wait for the next poll.
 */
const RELEASE_DELAY_MS = 20

/** The library's own poll interval: long, because each of its workers would poll separately. */
export const OWN_POLL_MS = 60_000

/**
 * The library announces every new job to every lane, wakes as many workers of each as there are new jobs, and
 * polls with all of them every second. Instead, each call of the returned function wakes one worker of the
 * job's lane, at once or after the pause; whenever a worker finds a job, the next one looks too.
 */
export function limitNudges(events: WorkerEvents): () => void {
  let nudge: WorkerPool['nudge'] = () => undefined
  let isPausing = false
  let isWanted = false
  const look = () => nudge(1)
  const lookAfterPause = () => {
    isWanted = isPausing
    if (isPausing) return
    isPausing = true
    look()
    setTimeout(() => {
      isPausing = false
      if (isWanted) lookAfterPause()
    }, PAUSE_MS)
  }
  events.on('pool:create', ({ workerPool }) => {
    nudge = workerPool.nudge.bind(workerPool)
    workerPool.nudge = () => undefined
    const poll = setInterval(lookAfterPause, POLL_MS)
    const leave = () => {
      nudge = () => undefined
      clearInterval(poll)
    }
    events.on('pool:gracefulShutdown', leave)
    events.on('pool:forcefulShutdown', leave)
    events.on('pool:release', leave)
    events.on('job:start', look)
    events.on('job:complete', ({ job }) => {
      if (job.job_queue_id !== null) setTimeout(look, RELEASE_DELAY_MS)
    })
  })
  return lookAfterPause
}
