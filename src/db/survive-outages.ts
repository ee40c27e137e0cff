import type { Logger } from '../lib/log.ts'
import { isConnectionError } from './errors.ts'

/** Set by the queue's own driver, which gives this error no code. */
const TERMINATED = 'Connection terminated'

/**
 * The drivers and the queue send some statements that nobody waits for, such as the one that reads the types of a new
 * connection. While the database is away their failures are unhandled rejections, which would end the process.
 * Every thread needs its own. Test:
 * "a statement that nobody waits for does not end the process".
 */
export function surviveOutages(log: Logger): Disposable {
  const onRejection = (error: unknown) => {
    if (!isOutage(error)) throw error
    log.warn('A statement that nobody waited for failed', { error })
  }
  process.on('unhandledRejection', onRejection)
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', onRejection) }
}

function isOutage(error: unknown): boolean {
  return isConnectionError(error) || (error instanceof Error && error.message.startsWith(TERMINATED))
}
