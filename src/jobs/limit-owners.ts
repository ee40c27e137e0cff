import type { WorkerEvents } from 'graphile-worker'

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
