import { openSession } from '../pool/open-session.ts'

/**
 * Runs `work` under a lock that one process at a time can hold. The lock has its own session, because the
 * work may take minutes and uses the pool.
 */
export async function withSessionLock<Result>(
  url: string,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = openSession(url, 'lock')
  try {
    await client`select pg_advisory_lock(hashtextextended(${name}, 0))`
    return await work()
  } finally {
    await client.end({ timeout: 1 })
  }
}
