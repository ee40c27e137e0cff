import { AsyncLocalStorage } from 'node:async_hooks'

import type postgres from 'postgres'

import { isConnectionError } from './errors.ts'
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
  /** Whether its commit notifies other processes. */
  notifies: boolean
}

export interface GuardedPool {
  /** The number of statements that the database has completed. */
  answered(): number
  /** Whether the caller runs inside a transaction of this pool. */
  isInTransaction(): boolean
}

/** Part of the text of each statement that notifies; see `notify`. */
const NOTIFIES = 'pg_notify('

/**
 * Patches the functions of the driver through which drizzle sends every statement. Waiting for a connection
 * times out, a transaction cannot request a second one or continue after losing its own, and repeated
 * statements are prepared. `onNotified` runs before the caller learns that a change with a notification is committed.
 */
export function guardPool(client: postgres.Sql, onNotified: () => void = () => undefined): GuardedPool {
  const pool = client as unknown as Pool
  const { unsafe, begin } = pool
  const transactions = new AsyncLocalStorage<OpenTransaction>()
  let answered = 0
  const onAnswer = () => {
    answered += 1
  }
  const waits = new PoolWaits(onAnswer)
  const prepared = new PreparedTexts()

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
    const transaction: OpenTransaction = { isOpen: true, notifies: false }
    try {
      return await begin(...values.map((value) => (isCall(value) ? runIn(transaction, value) : value)))
    } finally {
      transaction.isOpen = false
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
    answered: () => answered,
    isInTransaction: () => transactions.getStore()?.isOpen ?? false,
  }
}

function isCall(value: unknown): value is Call {
  return typeof value === 'function'
}
