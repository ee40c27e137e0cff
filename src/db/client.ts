import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

import { withSessionLock } from './locks/locks.ts'
import { Listener } from './notify/listener.ts'
import { type GuardedPool, guardPool } from './pool/guard-pool.ts'
import { ARRAY_TYPES, reconnectPause } from './pool/sessions.ts'

export type Database = PostgresJsDatabase
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]
/** For queries that work both inside and outside a transaction. */
export type Db = Database | Transaction

export interface DatabaseHandle {
  /** A transaction that sends a notification returns once this process has received it too. */
  db: Database
  /** Calls `onNotification` for every NOTIFY on the channel, and `onGap` when notifications may have been missed. */
  listen(channel: string, onNotification: (payload: string) => void, onGap: () => void): Promise<void>
  /** Calls the listeners of this process only. */
  deliver(channel: string, payload: string): void
  /** False while notifications may be missing. */
  isListening(): boolean
  /** Runs `work` while holding the lock of this name, waiting for it as long as necessary. */
  withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  check(): Promise<void>
  /** The number of statements the database has completed or failed; updated with a short delay. */
  answered(): number
  /** Whether the caller runs inside a transaction. */
  isInTransaction(): boolean
  dispose(): Promise<void>
}

interface DatabaseOptions {
  maxConnections?: number
  prepare?: boolean
  statementTimeoutMs?: number
  times?: PoolTimes
  /**
   * Runs as soon as this process learns that data changed: for its own changes before they return, for those of
   * others when their notification arrives, and when notifications may have been missed.
   */
  onChange?: () => void
}

/** How long a statement waits; shorter in tests of these timeouts. */
export interface PoolTimes {
  /** For a connection. */
  waitMs?: number
  /** For a lock. */
  lockMs?: number
}

const MAX_CONNECTIONS = 10
/** Connections reserved for reads outside of transactions; small pools reserve none. */
const READS_MIN = 4
const STATEMENT_TIMEOUT_MS = 30_000
/** A response that Postgres sends when a statement times out has arrived by then. */
const RESPONSE_GRACE_MS = 5000
const CLOSE_SECONDS = 5

/**
 * Timeouts of each pooled connection, in milliseconds. A transaction that waits for something else, such as
 * the object store, holds its connection and locks meanwhile, so it is limited to a minute.
 */
const SESSION_LIMITS = {
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
}

export function openDatabase(url: string, options: DatabaseOptions = {}): DatabaseHandle {
  const {
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    onChange,
    times: { waitMs, lockMs } = {},
    ...pool
  } = options
  const connection = {
    application_name: 'playshelf',
    statement_timeout: statementTimeoutMs,
    ...SESSION_LIMITS,
    ...(lockMs && { lock_timeout: lockMs }),
  }
  // Drizzle replaces the date parsers of its client, so the listener has its own.
  const listener = new Listener(url, onChange)
  const onNotified = async () => {
    onChange?.()
    await listener.catchUp()
  }
  const { client, answered, isInTransaction, end } = openPool(url, {
    ...pool,
    connection,
    onNotified,
    ...(waitMs && { waitMs }),
  })
  return {
    db: drizzle(client),
    async listen(channel, onNotification, onGap) {
      await listener.listen({ channel, onChange: onNotification, onGap })
    },
    deliver: (channel, payload) => listener.deliver(channel, payload),
    isListening: () => listener.isTrusted(),
    withLock: (name, work) => withSessionLock(url, name, work),
    // In a transaction, because transactions have fewer connections than reads.
    async check() {
      await client.begin(async (tx) => await tx.unsafe('select 1'))
    },
    answered,
    isInTransaction,
    async dispose() {
      await Promise.all([end(CLOSE_SECONDS), listener.dispose()])
    },
  }
}

/** Connections to a server that only reads. */
interface ReadPool {
  db: Database
  /** Ends statements in flight too: they reject. */
  close(): void
}

/** Reads that take longer than this are repeated on the primary. */
const READ_TIMEOUT_MS = 2000

export function openReadPool(url: string, prepare: boolean): ReadPool {
  const connection = {
    application_name: 'playshelf replica',
    statement_timeout: READ_TIMEOUT_MS,
    default_transaction_read_only: true,
  }
  const { client, end } = openPool(url, { prepare, connection })
  return { db: drizzle(client), close: () => void end(0) }
}

interface PoolOptions {
  maxConnections?: number
  prepare?: boolean
  /** Settings of each connection. */
  connection: { application_name: string; statement_timeout: number }
  onNotified?: () => Promise<void>
  waitMs?: number
}

function openPool(
  url: string,
  { maxConnections, prepare = true, connection, ...guard }: PoolOptions,
): GuardedPool {
  const max = maxConnections ?? MAX_CONNECTIONS
  const open = () =>
    postgres(url, {
      max,
      connect_timeout: 10,
      idle_timeout: 60,
      backoff: reconnectPause,
      prepare,
      connection,
      fetch_types: false,
      types: ARRAY_TYPES,
      onnotice: () => undefined,
    })
  const silentMs = connection.statement_timeout + RESPONSE_GRACE_MS
  const transactionsMax = max > READS_MIN ? max - READS_MIN : max
  return guardPool(open, { silentMs, transactionsMax, ...guard })
}
