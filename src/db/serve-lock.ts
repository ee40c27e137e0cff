import postgres from 'postgres'

import { LOCKS } from './locks.ts'

/**
 * Allows one server per embedded database. The lock belongs to a database session, so it is released even
 * when the process crashes.
 */
export async function holdServeLock(url: string, folder: string): Promise<() => Promise<void>> {
  const client = postgres(url, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => undefined })
  const [row] = await client<{ held: boolean }[]>`select pg_try_advisory_lock(${LOCKS.serve}) as held`
  if (!row?.held) {
    await client.end()
    throw new Error(`Playshelf is already running on ${folder}: stop it first, or set another DATA_DIR`)
  }
  return () => client.end({ timeout: 1 })
}
