import { openSession } from '../pool/open-session.ts'
import { LOCKS } from './locks.ts'

export interface ServeLock {
  /** Settles when the session of the lock has ended, also when it was released. */
  lost: Promise<void>
  release(): Promise<void>
}

/**
 * Allows one server per embedded database. The lock belongs to a database session, so it is released even
 * when the process crashes.
 */
export async function holdServeLock(url: string, folder: string): Promise<ServeLock> {
  const { promise: lost, resolve: onclose } = Promise.withResolvers<void>()
  const client = openSession(url, 'serve', { onclose: () => onclose() })
  const [row] = await client<{ held: boolean }[]>`select pg_try_advisory_lock(${LOCKS.serve}) as held`
  if (!row?.held) {
    await client.end()
    throw new Error(`Playshelf is already running on ${folder}: stop it first, or set another DATA_DIR`)
  }
  return { lost, release: () => client.end({ timeout: 1 }) }
}
