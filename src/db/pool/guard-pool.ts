import { AsyncLocalStorage } from 'node:async_hooks'

import { LRUCache } from 'lru-cache'
import type postgres from 'postgres'

import { createSemaphore, type Semaphore } from '../../lib/flow/semaphore.ts'
import { ConnectionLostError, isConnectionError, PoolBusyError } from '../errors.ts'

const TICK_MS = 250
/** The longest wait for a connection. Counted in checks, so that a blocked event loop does not cause timeouts. */
const WAIT_MAX_MS = 5000

/** The fields of the driver's statement that are used here. */
interface Statement extends Promise<unknown> {
  /** null until the statement is sent to the database. */
  state: unknown
  strings: string[]
  args: unknown[]
  options: object
  reject(error: Error): void
}

interface WaitEvents {
  onAnswer(): void
  /** A statement got no response for longer than Postgres lets any statement run: its connection is dead. */
  onSilence(): void
}

interface Wait {
  isSent: boolean
  looks: number
}

/**
 * Times out statements that wait for a connection; the driver would let them wait forever. A semaphore in front would
 * not know which statements the driver has sent. Test: "a wait for a connection ends after some seconds, and what was
 * not sent never runs" (tests/integration/db/pool.test.ts).
 */
class PoolWaits {
  readonly #silentLooksMax: number
  #added: Statement[] = []
  /** Statements seen by an earlier check. */
  #pending = new Map<Statement, Wait>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(
    private readonly events: WaitEvents,
    silentMs: number,
    private readonly waitMs: number,
  ) {
    this.#silentLooksMax = Math.ceil(silentMs / TICK_MS)
  }

  /** Runs for every statement, so it only queues; the checks run later in batches. */
  add(statement: Statement): void {
    this.#added.push(statement)
    this.#timer ??= setInterval(() => this.#look(), TICK_MS).unref()
  }

  #look(): void {
    let isSilent = false
    for (const [statement, wait] of this.#pending) {
      if (!this.#isPending(statement, wait)) this.#pending.delete(statement)
      else if (wait.isSent && wait.looks > this.#silentLooksMax) isSilent = true
    }
    for (const statement of this.#added.splice(0)) {
      const wait = { isSent: false, looks: 0 }
      if (this.#isPending(statement, wait)) this.#pending.set(statement, wait)
    }
    if (isSilent) this.events.onSilence()
    if (this.#pending.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #isPending(statement: Statement, wait: Wait): boolean {
    const isSent = statement.state !== null
    if (Bun.peek.status(statement) !== 'pending') {
      if (isSent) this.events.onAnswer()
      return false
    }
    if (!isSent && wait.looks >= this.waitMs / TICK_MS) {
      giveUp(statement, this.waitMs)
      return false
    }
    wait.looks = isSent === wait.isSent ? wait.looks + 1 : 0
    wait.isSent = isSent
    return true
  }
}

/**
 * The statement is still in the driver's queue, and the driver's `cancel` would leak a connection that is
 * being opened for it. So it is replaced by a harmless statement.
 */
function giveUp(statement: Statement, waitMs: number): void {
  statement.strings = ['select 1']
  statement.args = []
  statement.options = { simple: true, prepare: false }
  statement.reject(new PoolBusyError(waitMs))
}

const PREPARED_MAX = 300
const LENGTH_MAX = 8000

/**
 * Chooses the statements to prepare: only repeated texts, and no long ones, which are lists of values. Each takes 50 KB
 * per connection until that closes, and the driver knows only all or none. Test: "however many texts there are, a
 * connection prepares a few hundred" (tests/integration/db/prepared.test.ts).
 */
class PreparedTexts {
  readonly #prepared = new Set<string>()
  readonly #seen = new LRUCache<string, true>({ max: 1000 })

  /** Call for every use of a text. */
  has(text: string): boolean {
    if (this.#prepared.has(text)) return true
    if (this.#prepared.size >= PREPARED_MAX || text.length > LENGTH_MAX) return false
    const isSeen = this.#seen.delete(text)
    if (isSeen) this.#prepared.add(text)
    else this.#seen.set(text, true)
    return isSeen
  }
}

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
  /** Statements in flight get this long to finish. */
  end(seconds: number): Promise<void>
}

interface GuardOptions {
  /** After this time without a response a connection is dead. */
  silentMs: number
  /** Transactions that run at once; fewer than the connections. */
  transactionsMax: number
  waitMs?: number
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
  const { silentMs, transactionsMax, waitMs = WAIT_MAX_MS, onNotified = () => Promise.resolve() } = options
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
  const waits = new PoolWaits({ onAnswer, onSilence: replace }, silentMs, waitMs)
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
    const slot = slots.tryAcquire() ?? (await waitForSlot(slots, waitMs))
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
async function waitForSlot(slots: Semaphore, waitMs: number): Promise<Disposable> {
  const wait = new AbortController()
  let looks = 0
  const timer = setInterval(() => {
    looks += 1
    if (looks >= waitMs / TICK_MS) wait.abort(new PoolBusyError(waitMs))
  }, TICK_MS)
  try {
    return await slots.acquire(1, wait.signal)
  } finally {
    clearInterval(timer)
  }
}

function isCall(value: unknown): value is Call {
  return typeof value === 'function'
}
