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
}

export interface GuardedPool {
  /** Statements that the database has answered. */
  answered(): number
}

/**
 * Adds to the driver's pool what it lacks, by replacing the functions that every statement of drizzle passes through:
 * nobody waits for a connection for ever or while holding another one, a transaction whose connection was lost touches
 * nothing afterwards, and statements that come again are prepared.
 */
export function guardPool(client: postgres.Sql): GuardedPool {
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
    return statement
  }

  pool.begin = async (...values) => {
    const transaction = { isOpen: true }
    try {
      return await begin(...values.map((value) => (isCall(value) ? runIn(transaction, value) : value)))
    } finally {
      transaction.isOpen = false
    }
  }

  /**
   * Once the connection is lost, the driver may give it to others after connecting again, but still sends this
   * transaction's statements and its rollback to it. So they end here, and the driver never hears of the work's end:
   * it has failed the transaction already.
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
      const statement = send(text, parameters, choose(text, parameters, options)) as Statement
      // The driver sends a statement when its own `then` is called; the plain one only looks on.
      void Promise.prototype.then.call(statement, onAnswer, onFault)
      return statement
    }
  }

  /**
   * Without `onexecute` the driver sends statements behind others on the same connection. There they would wait for slow
   * ones without limit, and receive the rows of others while the driver prepares a statement again.
   */
  function choose(text: string, parameters: unknown[], options: object): object {
    return { onexecute: () => false, ...options, prepare: parameters.length > 0 && prepared.has(text) }
  }

  return { answered: () => answered }
}

function isCall(value: unknown): value is Call {
  return typeof value === 'function'
}
