import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

import { guardPool } from './guard-pool.ts'
import { Listener } from './listener.ts'
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
  /** Calls the listeners of this process only. */
  deliver(channel: string, payload: string): void
  /** False while notifications may be missing. */
  isListening(): boolean
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
}

/**
 * Timeouts of each pooled connection, in milliseconds. A transaction that waits for something else, such as
 * the object store, holds its connection and locks meanwhile, so it is limited to a minute.
 */
const SESSION_LIMITS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
}

export function openDatabase(url: string, options: DatabaseOptions = {}): DatabaseHandle {
  // Drizzle replaces the date parsers of its client, so the listener has its own.
  const client = postgres(url, {
    max: options.maxConnections ?? 10,
    connect_timeout: 10,
    idle_timeout: 60,
    prepare: options.prepare ?? true,
    onnotice: () => undefined,
    connection: { application_name: 'playshelf', ...SESSION_LIMITS },
  })
  const { answered } = guardPool(client)
  const listener = new Listener(url)
  return {
    db: drizzle(client, { schema }),
    async listen(channel, onChange, onGap) {
      await listener.listen({ channel, onChange, onGap })
    },
    deliver: (channel, payload) => listener.deliver(channel, payload),
    isListening: () => listener.isTrusted(),
    withLock: (name, work) => withSessionLock(url, name, work),
    async check() {
      await client.unsafe('select 1')
    },
    answered,
    async dispose() {
      await Promise.all([client.end({ timeout: 5 }), listener.dispose()])
    },
  }
}
