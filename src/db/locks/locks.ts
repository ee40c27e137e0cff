import { openSession } from '../pool/sessions.ts'

/** Keys of the Postgres advisory locks. They only have to differ from each other. */
export const LOCKS = {
  migration: 7_065_001,
  /** The second key is the job runner that holds it. */
  jobRunner: 7_065_002,
  serve: 7_065_003,
  /** The second key is the process that holds it. */
  process: 7_065_004,
  searchIndex: 7_065_005,
  /** The second key is the username. */
  username: 7_065_006,
  /** The second key is the e-mail address. */
  email: 7_065_007,
  statementKeys: 7_065_008,
  invitations: 7_065_009,
  /** The second key is the holder and the game. */
  license: 7_065_010,
  collections: 7_065_011,
  setup: 7_065_012,
  operatorActs: 7_065_013,
  /** The second key is the account. */
  follows: 7_065_014,
  /** The second key is the person who makes one. */
  jams: 7_065_015,
  noticeEvents: 7_065_016,
  /** The second key is the jam and the voter. */
  jamVotes: 7_065_017,
} as const

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
