import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

import { guardPool } from './guard-pool.ts'
import { Listener } from './listener.ts'
import { schema } from './schema.ts'
import { withSessionLock } from './session-lock.ts'

export type Database = PostgresJsDatabase<typeof schema>
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]
/** What a query needs: it neither knows nor cares whether a transaction is open. */
export type Db = Database | Transaction

export interface DatabaseHandle {
  db: Database
  /** Calls `onChange` for every NOTIFY on the channel, and `onGap` when notifications may have been missed. */
  listen(channel: string, onChange: (payload: string) => void, onGap: () => void): Promise<void>
  /** Runs `work` while no other process holds the lock of this name, for as long as it takes. */
  withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  check(): Promise<void>
  /** How many statements the database has answered, whether they failed or not; a moment late. */
  answered(): number
  dispose(): Promise<void>
}

export interface DatabaseOptions {
  maxConnections?: number
  prepare?: boolean
}

/**
 * Of each pooled connection, in milliseconds. A transaction that waits for something outside of the database, such as
 * the object store, holds its connection and its locks meanwhile: it has a minute.
 */
const SESSION_LIMITS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
}

export function openDatabase(url: string, options: DatabaseOptions = {}): DatabaseHandle {
  // Drizzle replaces the date parsers of its client, so listeners get a client of their own.
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
