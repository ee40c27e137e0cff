import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

import { guardPool } from './guard-pool.ts'
import { Listener } from './listener.ts'
import { reconnectPause } from './reconnect-pause.ts'
import { schema } from './schema.ts'
import { withSessionLock } from './session-lock.ts'

export type Database = PostgresJsDatabase<typeof schema>
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]
/** For queries that work both inside and outside a transaction. */
export type Db = Database | Transaction

export interface DatabaseHandle {
  db: Database
  /** Calls `onChange` for every NOTIFY on the channel, and `onGap` when notifications may have been missed. */
  listen(channel: string, onChange: (payload: string) => void, onGap: () => void): Promise<void>
  /** Runs `work` while holding the lock of this name, waiting for it as long as necessary. */
  withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  check(): Promise<void>
  /** The number of statements the database has completed or failed; updated with a short delay. */
  answered(): number
  dispose(): Promise<void>
}

export interface DatabaseOptions {
  maxConnections?: number
  prepare?: boolean
  statementTimeoutMs?: number
}

const STATEMENT_TIMEOUT_MS = 30_000
/** A response that Postgres sends when a statement times out has arrived by then. */
const RESPONSE_GRACE_MS = 5000

/**
 * Timeouts of each pooled connection, in milliseconds. A transaction that waits for something else, such as
 * the object store, holds its connection and locks meanwhile, so it is limited to a minute.
 */
const SESSION_LIMITS = {
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
}

export function openDatabase(url: string, options: DatabaseOptions = {}): DatabaseHandle {
  const { maxConnections = 10, prepare = true, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
  // Drizzle replaces the date parsers of its client, so the listener has its own.
  const open = () =>
    postgres(url, {
      max: maxConnections,
      connect_timeout: 10,
      idle_timeout: 60,
      backoff: reconnectPause,
      prepare,
      onnotice: () => undefined,
      connection: {
        application_name: 'playshelf',
        statement_timeout: statementTimeoutMs,
        ...SESSION_LIMITS,
      },
    })
  const { client, answered, end } = guardPool(open, { silentMs: statementTimeoutMs + RESPONSE_GRACE_MS })
  const listener = new Listener(url)
  return {
    db: drizzle(client, { schema }),
    async listen(channel, onChange, onGap) {
      await listener.listen({ channel, onChange, onGap })
    },
    withLock: (name, work) => withSessionLock(url, name, work),
    async check() {
      await client.unsafe('select 1')
    },
    answered,
    async dispose() {
      await Promise.all([end(), listener.dispose()])
    },
  }
}
