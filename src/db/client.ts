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
  /** Calls `onNotification` for every NOTIFY on the channel, and `onGap` when notifications may have been missed. */
  listen(channel: string, onNotification: (payload: string) => void, onGap: () => void): Promise<void>
  /** Runs `work` while holding the lock of this name, waiting for it as long as necessary. */
  withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  check(): Promise<void>
  /** The number of statements the database has completed or failed; updated with a short delay. */
  answered(): number
  /** Whether the caller runs inside a transaction. */
  isInTransaction(): boolean
  dispose(): Promise<void>
}

export interface DatabaseOptions {
  maxConnections?: number
  prepare?: boolean
  /**
   * Runs as soon as this process learns that data changed: for its own changes before they return, for those of
   * others when their notification arrives, and when notifications may have been missed.
   */
  onChange?: () => void
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
  const { maxConnections = 10, prepare = true, onChange } = options
  const client = postgres(url, {
    ...poolOptions({ prepare, maxConnections }),
    connection: { application_name: 'playshelf', ...SESSION_LIMITS },
  })
  const { answered, isInTransaction } = guardPool(client, onChange)
  // Drizzle replaces the date parsers of its client, so the listener has its own.
  const listener = new Listener(url, onChange)
  return {
    db: drizzle(client, { schema }),
    async listen(channel, onNotification, onGap) {
      await listener.listen({ channel, onChange: onNotification, onGap })
    },
    withLock: (name, work) => withSessionLock(url, name, work),
    async check() {
      await client.unsafe('select 1')
    },
    answered,
    isInTransaction,
    async dispose() {
      await Promise.all([client.end({ timeout: 5 }), listener.dispose()])
    },
  }
}

/** Connections to a server that only reads. */
export interface ReadPool {
  db: Database
  /** Ends statements in flight too: they reject. */
  close(): void
}

/** Reads that take longer than this are repeated on the primary. */
const READ_TIMEOUT_MS = 2000

export function openReadPool(url: string, prepare: boolean): ReadPool {
  const client = postgres(url, {
    ...poolOptions({ prepare, maxConnections: 10 }),
    connection: {
      application_name: 'playshelf replica',
      statement_timeout: READ_TIMEOUT_MS,
      default_transaction_read_only: true,
    },
  })
  guardPool(client)
  return { db: drizzle(client, { schema }), close: () => void client.end({ timeout: 0 }) }
}

function poolOptions({ prepare, maxConnections }: { prepare: boolean; maxConnections: number }) {
  return { max: maxConnections, connect_timeout: 10, idle_timeout: 60, prepare, onnotice: () => undefined }
}
