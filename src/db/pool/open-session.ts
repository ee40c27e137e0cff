import postgres from 'postgres'

import { ARRAY_TYPES } from './array-types.ts'

const CONNECT_SECONDS = 10

interface SessionOptions {
  onclose?: () => void
  /** The types of postgres.js omit it, though its own `listen` uses it. */
  onnotify?: (channel: string, payload: string) => void
  backoff?: (attempts: number) => number
  /** Settings of the connection. */
  connection?: Record<string, string>
}

/**
 * One connection outside the pool that stays open until `end`, for what belongs to a database session (locks,
 * notifications) and for checks that must not wait for the pool. `name` is shown in pg_stat_activity.
 */
export function openSession(
  url: string,
  name: string,
  { connection, ...options }: SessionOptions = {},
): postgres.Sql {
  return postgres(url, {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: CONNECT_SECONDS,
    fetch_types: false,
    types: ARRAY_TYPES,
    onnotice: () => undefined,
    ...options,
    connection: { application_name: `playshelf ${name}`, ...connection },
  })
}
