import type { WorkerEvents, WorkerPool } from 'graphile-worker'

/** Between two looks of a lane at the queue that new jobs cause. */
const PAUSE_MS = 50
/** Between two looks without news: for jobs whose time has come, and news that were lost. */
const POLL_MS = 1000

/**
 * The library looks for the next job of a queue before it has released the last one. A look shortly after finds it;
 * otherwise that job would wait for the next poll.
 */
const RELEASE_DELAY_MS = 20

/** For the library, whose workers would each look by themselves. */
export const OWN_POLL_MS = 60_000

/**
 * The library announces every new job to every lane, and has as many workers of each look for it as there are new
 * jobs, and all of them every second. Here only those of the job's lane are told, by a call of what this returns: one
 * looks, at once or after the pause, and whenever one finds a job, the next one looks too.
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
