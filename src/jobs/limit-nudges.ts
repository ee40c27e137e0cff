import type { WorkerEvents } from 'graphile-worker'

/** Between two looks of a lane at the queue that new jobs cause. */
const PAUSE_MS = 50

/**
 * The library looks for the next job of a queue before it has released the last one. A look shortly after finds it;
 * otherwise that job would wait for the next poll.
 */
const RELEASE_DELAY_MS = 20

/**
 * Every new job is announced to every lane, and the library has as many workers of each look for it as there are new
 * jobs. Here one looks, at once or after the pause, and whenever one finds a job, the next one looks too.
 */
export function limitNudges(events: WorkerEvents): void {
  events.on('pool:create', ({ workerPool }) => {
    const nudge = workerPool.nudge.bind(workerPool)
    let isLeaving = false
    let isPausing = false
    let isWanted = false
    const look = () => {
      if (!isLeaving) nudge(1)
    }
    const lookAfterPause = () => {
      isWanted = true
      if (isPausing) return
      isWanted = false
      isPausing = true
      look()
      setTimeout(() => {
        isPausing = false
        if (isWanted) lookAfterPause()
      }, PAUSE_MS)
    }
    workerPool.nudge = lookAfterPause
    events.on('pool:gracefulShutdown', () => (isLeaving = true))
    events.on('job:start', look)
    events.on('job:complete', ({ job }) => {
      if (job.job_queue_id !== null) setTimeout(look, RELEASE_DELAY_MS)
    })
  })
}
