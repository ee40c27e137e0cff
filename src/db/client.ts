import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

import { type Page, type Paged, paged } from '../lib/paging.ts'
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

/** The first row of a query, or undefined. */
export async function one<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined> {
  return (await query)[0]
}

/** Whether a query finds a row. */
export async function hasRows(query: PromiseLike<readonly unknown[]>): Promise<boolean> {
  return (await query).length > 0
}

/** The result of an insert, update or delete without `returning`. */
type Written = PromiseLike<{ count: number }>

/** Whether a statement wrote a row. */
export async function changed(statement: Written): Promise<boolean> {
  return (await statement).count > 0
}

/** How many rows a statement wrote. */
export async function countChanged(statement: Written): Promise<number> {
  return (await statement).count
}

/** A query that is ordered, but not limited yet. */
interface Pageable<Row> {
  limit(count: number): { offset(count: number): PromiseLike<Row[]> }
}

/** One page of a query with the number of all its rows: `pageOf(select.where(of), db.$count(table, of), page)`. */
export async function pageOf<Row>(
  query: Pageable<Row>,
  total: PromiseLike<number>,
  page: Page,
): Promise<Paged<Row>> {
  const [items, count] = await Promise.all([query.limit(page.page_size).offset(page.offset), total])
  return paged(page, items, count)
}

/** The row that an insert returns. */
export async function inserted<Row>(query: PromiseLike<readonly Row[]>): Promise<Row> {
  const [row] = await query
  if (row === undefined) throw new Error('The database stored a row, but did not return it')
  return row
}

/** Repeats a statement that deletes at most `batch` rows until it deletes fewer; returns the total. */
export async function deleteInBatches(
  batch: number,
  remove: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  for (let removed = 0; ;) {
    signal?.throwIfAborted()
    const count = await remove(batch)
    removed += count
    if (count < batch) return removed
  }
}

/**
 * For hot queries: building the text takes more CPU time than reading the rows, so it is kept per database.
 */
export function buildOnce<Query>(build: (db: Db) => Query): (db: Db) => Query {
  const built = new WeakMap<Db, Query>()
  return (db) => {
    const query = built.get(db) ?? build(db)
    built.set(db, query)
    return query
  }
}

/** Matches any of the values. Unlike `inArray`, the query text does not depend on how many there are. */
export function anyOf(column: Column, values: readonly (string | number)[] | Placeholder): SQL {
  const list = Array.isArray(values) ? sql.param([...values]) : values
  return sql`${column} = any(${list}::${sql.raw(column.getSQLType())}[])`
}

/** Rows as a table, with one parameter for each column: `unnest($1::uuid[], $2::text[])`. */
export function unnest<Row>(rows: readonly Row[], columns: { readonly [Name in keyof Row]?: string }): SQL {
  const lists = (Object.entries(columns) as [keyof Row, string][]).map(
    ([name, type]) => sql`${sql.param(rows.map((row) => row[name]))}::${sql.raw(type)}[]`,
  )
  return sql`unnest(${sql.join(lists, sql`, `)})`
}

/** Control characters, which none of our texts contain. */
const [SEPARATOR, NULL] = ['\u001f', '\u001e']
const [OPEN, CLOSE, COMMA, ZERO] = [0x7b, 0x7d, 0x2c, 0x30]
/** Of a 32-bit number and its comma. */
const CHARACTERS_MAX = 11

/** An array of texts as one parameter: the driver's own arrays quote and escape every value. */
export function textList(texts: readonly (string | null)[]): SQL {
  const joined = texts.map((text) => text ?? NULL).join(SEPARATOR)
  // An empty string would become an empty array.
  return joined === '' && texts.length === 1
    ? sql`array['']`
    : sql`string_to_array(${joined}, ${SEPARATOR}, ${NULL})`
}

export function integerList(numbers: readonly number[]): SQL {
  return sql`${`{${numbers.join()}}`}::integer[]`
}

let written = Buffer.alloc(16_384)

/** An array as Postgres reads it. Takes half as long as joining the numbers, which must not be negative. */
export function formatIntegers(numbers: Int32Array): string {
  if (numbers.length === 0) return '{}'
  const most = numbers.length * CHARACTERS_MAX + 1
  if (written.length < most) written = Buffer.alloc(most)
  // Backwards, because the last digit is found first.
  let start = written.length - 1
  written[start] = CLOSE
  for (let index = numbers.length - 1; index >= 0; index -= 1) {
    let left = numbers[index] ?? 0
    do {
      const tens = Math.trunc(left / 10)
      start -= 1
      written[start] = ZERO + left - tens * 10
      left = tens
    } while (left > 0)
    start -= 1
    written[start] = COMMA
  }
  written[start] = OPEN
  return written.toString('latin1', start)
}
