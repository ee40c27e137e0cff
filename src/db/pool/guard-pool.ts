import { AsyncLocalStorage } from 'node:async_hooks'

import type postgres from 'postgres'

import { ConnectionLostError, isConnectionError } from '../errors.ts'
import { PoolWaits, type Statement } from './pool-waits.ts'
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
  /** Runs before the caller learns that a change with a notification is committed. */
  onNotified?: () => void
}

/** Part of the text of each statement that notifies; see `notify`. */
const NOTIFIES = 'pg_notify('

/**
 * Patches the functions of the driver through which drizzle sends every statement. Waiting for a connection
 * times out, a transaction cannot request a second one or continue after losing its own, repeated statements
 * are prepared, and connections that stopped answering are replaced.
 */
export function guardPool(open: () => postgres.Sql, options: GuardOptions): GuardedPool {
  const { silentMs, onNotified = () => undefined } = options
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

  /**
   * After a failover the old server may send neither data nor an end, and the driver would wait for hours. It
   * cannot drop single connections, so all of them are replaced; their statements fail.
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

  pool.begin = async (...values) => {
    const { promise: failed, reject } = Promise.withResolvers<never>()
    const transaction: OpenTransaction = { isOpen: true, notifies: false, fail: reject }
    openTransactions.add(transaction)
    const done = begin(...values.map((value) => (isCall(value) ? runIn(transaction, value) : value)))
    try {
      return await Promise.race([done, failed])
    } finally {
      transaction.isOpen = false
      openTransactions.delete(transaction)
      if (transaction.notifies) onNotified()
    }
  }

  /**
   * After a lost connection the driver reconnects and may reuse it for others, yet would still send this
   * transaction's statements and rollback on it. So they are blocked here, and the promise never settles: the
   * driver has already failed the transaction.
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
   * Setting `onexecute` disables pipelining. A pipelined statement can wait behind a slow one without limit,
   * and can receive another statement's rows while the driver prepares one again.
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

function isCall(value: unknown): value is Call {
  return typeof value === 'function'
}
