import { isConnectionError } from '../db/errors.ts'
import type { Logger } from '../lib/log.ts'

/** Set by the queue's own driver, which gives this error no code. */
const TERMINATED = 'Connection terminated'

/**
 * The queue does not wait for some of its statements. While the database is away their failures are unhandled
 * rejections, which would end the process; the jobs concerned run again later.
 */
export function surviveOutages(log: Logger): Disposable {
  const onRejection = (error: unknown) => {
    if (!isOutage(error)) throw error
    log.warn('A statement of the job queue failed', { error })
  }
  process.on('unhandledRejection', onRejection)
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', onRejection) }
}

function isOutage(error: unknown): boolean {
  return isConnectionError(error) || (error instanceof Error && error.message.startsWith(TERMINATED))
}
