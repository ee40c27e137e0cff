import { AsyncLocalStorage } from 'node:async_hooks'

import type postgres from 'postgres'

import { createSemaphore, type Semaphore } from '../../lib/flow/semaphore.ts'
import { ConnectionLostError, isConnectionError, PoolBusyError } from '../errors.ts'
import { LOOK_MS, LOOKS_MAX, PoolWaits, type Statement, WAIT_MAX_MS } from './pool-waits.ts'
import { PreparedTexts } from './prepared-texts.ts'

type Call = (...values: unknown[]) => unknown

type Send = (text: string, parameters?: unknown[], options?: object) => unknown

interface Client {
  unsafe: Send
}

interface Pool extends Client {
  begin: Call
}

interface OpenTransaction {
  isOpen: boolean
  fail(error: Error): void
  /** Whether its commit notifies other processes. */
  notifies: boolean
}

export interface GuardedPool {
  /** Stays the same when the connections are replaced. */
  client: postgres.Sql
  /** The number of statements that the database has completed. */
  answered(): number
  /** Whether the caller runs inside a transaction of this pool. */
  isInTransaction(): boolean
  /** Statements in flight have so long to finish. */
  end(seconds: number): Promise<void>
}

export interface GuardOptions {
  /** After this time without a response a connection is dead. */
  silentMs: number
  /** Transactions that run at once; fewer than the connections. */
  transactionsMax: number
  /** Runs before the caller learns that a change with a notification is committed; transactions wait for it. */
  onNotified?: () => Promise<void>
}

/** Part of the text of each statement that notifies; see `notify`. */
const NOTIFIES = 'pg_notify('

/**
 * Patches the functions of postgres.js through which drizzle sends every statement, because its options do not reach
 * these faults. The version is pinned: a new one must pass the tests that are named here, in
 * tests/integration/db/pool.test.ts and prepared.test.ts.
 */
export function guardPool(open: () => postgres.Sql, options: GuardOptions): GuardedPool {
  const { silentMs, transactionsMax, onNotified = () => Promise.resolve() } = options
  let current = open()
  const client = current
  const pool = client as unknown as Pool
  let { unsafe, begin } = pool
  const transactions = new AsyncLocalStorage<OpenTransaction>()
  const openTransactions = new Set<OpenTransaction>()
  let answered = 0
  const onAnswer = () => {
    answered += 1
  }
  const waits = new PoolWaits({ onAnswer, onSilence: replace }, silentMs)
  const prepared = new PreparedTexts()
  const slots = createSemaphore(transactionsMax)

  /**
   * After a failover the old server may send neither data nor an end, and the driver would wait for hours. It cannot
   * drop single connections, so all of them are replaced; their statements fail. Test: "half-open connections are
   * replaced once Postgres must have responded".
   */
  function replace(): void {
    const lost = current
    current = open()
    Object.assign(current.options.parsers, lost.options.parsers)
    Object.assign(current.options.serializers, lost.options.serializers)
    const next = current as unknown as Pool
    ;({ unsafe, begin } = next)
    next.unsafe = pool.unsafe
    void lost.end({ timeout: 0 })
    for (const transaction of openTransactions) transaction.fail(new ConnectionLostError())
  }

  // A transaction that waits for a second connection holds its first one: enough of them block the pool for good.
  // Test: "inside a transaction … of the same pool is refused".
  pool.unsafe = (text, parameters = [], options = {}) => {
    if (transactions.getStore()?.isOpen) {
      throw new Error(
        `Inside a transaction the pool was asked for a second connection; use the transaction: ${text}`,
      )
    }
    const statement = unsafe(text, parameters, choose(text, parameters, options)) as Statement
    waits.add(statement)
    if (text.includes(NOTIFIES)) void Promise.prototype.then.call(statement, onNotified, onNotified)
    return statement
  }

  /**
   * Changes of one row wait for each other inside their transactions. The connections that no transaction may take are
   * left to those who only read. Test: "reads find a connection while transactions wait for a row".
   */
  pool.begin = async (...values) => {
    const slot = slots.tryAcquire() ?? (await waitForSlot(slots))
    const { promise: failed, reject } = Promise.withResolvers<never>()
    const transaction: OpenTransaction = { isOpen: true, notifies: false, fail: reject }
    openTransactions.add(transaction)
    const done = begin(...values.map((value) => (isCall(value) ? runIn(transaction, value) : value)))
    try {
      return await Promise.race([done, failed])
    } finally {
      transaction.isOpen = false
      openTransactions.delete(transaction)
      slot[Symbol.dispose]()
      if (transaction.notifies) await onNotified()
    }
  }

  /**
   * The driver reconnects a lost connection for others, yet still sends this transaction's statements and rollback on
   * it. So they are blocked, and the promise never settles: the driver has already failed the transaction. Test: "a
   * transaction whose connection is lost never touches the transaction that has the connection next".
   */
  function runIn(transaction: OpenTransaction, work: Call): Call {
    return (...values) => {
      guardStatements(transaction, values[0] as Client)
      return new Promise((resolve, reject) => {
        const whileOpen = (settle: (value: unknown) => void) => (value: unknown) => {
          if (transaction.isOpen) settle(value)
        }
        const done = transactions.run(transaction, async () => await work(...values))
        done.then(whileOpen(resolve), whileOpen(reject))
      })
    }
  }

  function guardStatements(transaction: OpenTransaction, connection: Client): void {
    const { unsafe: send } = connection
    const onFault = (error: unknown) => {
      if (isConnectionError(error)) transaction.isOpen = false
    }
    connection.unsafe = (text, parameters = [], options = {}) => {
      if (!transaction.isOpen) throw new Error('The transaction of this statement is over')
      transaction.notifies ||= text.includes(NOTIFIES)
      const statement = send(text, parameters, choose(text, parameters, options)) as Statement
      // Calling the driver's own `then` would send the statement; `Promise.prototype.then` only observes it.
      void Promise.prototype.then.call(statement, onAnswer, onFault)
      return statement
    }
  }

  /**
   * Setting `onexecute` disables pipelining: a pipelined statement can wait behind a slow one without limit, and receive
   * another one's rows while the driver prepares again. Tests: "nothing waits behind a slow statement while another
   * connection is free", "everyone who asks meanwhile receives their own rows".
   */
  function choose(text: string, parameters: unknown[], options: object): object {
    return { onexecute: () => false, ...options, prepare: parameters.length > 0 && prepared.has(text) }
  }

  return {
    client,
    answered: () => answered,
    isInTransaction: () => transactions.getStore()?.isOpen ?? false,
    end: (seconds) => current.end({ timeout: seconds }),
  }
}

/** Counts as `PoolWaits` does: a blocked event loop is no reason to give up. */
async function waitForSlot(slots: Semaphore): Promise<Disposable> {
  const wait = new AbortController()
  let looks = 0
  const timer = setInterval(() => {
    looks += 1
    if (looks >= LOOKS_MAX) wait.abort(new PoolBusyError(WAIT_MAX_MS))
  }, LOOK_MS)
  try {
    return await slots.acquire(1, wait.signal)
  } finally {
    clearInterval(timer)
  }
}

function isCall(value: unknown): value is Call {
  return typeof value === 'function'
}
