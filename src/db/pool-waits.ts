import { PoolBusyError } from './errors.ts'

const WAIT_MS = 5000
const LOOK_MS = 250

/** A statement of the driver, with the fields of it that are used here. */
export interface Statement extends Promise<unknown> {
  /** null until the statement is sent to the database. */
  state: unknown
  reject(error: Error): void
}

/** Statements that may have to wait for a connection. The driver lets them wait for ever. */
export class PoolWaits {
  /** In the order in which they came, with the time. */
  #waiting = new Map<Statement, number>()
  #timer: ReturnType<typeof setInterval> | undefined

  add(statement: Statement): void {
    this.#waiting.set(statement, performance.now())
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  delete(statement: Statement): void {
    this.#waiting.delete(statement)
  }

  #look(): void {
    const oldest = performance.now() - WAIT_MS
    for (const [statement, since] of this.#waiting) {
      if (since > oldest) break
      this.#waiting.delete(statement)
      // What is sent has its connection: from there on Postgres limits its time.
      if (statement.state === null) giveUp(statement)
    }
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/**
 * The driver still has the statement in its queue, and its own `cancel` loses a connection that is being opened for
 * it. So the statement is replaced by one that does nothing when its turn comes.
 */
function giveUp(statement: Statement): void {
  Object.assign(statement, { strings: ['select 1'], args: [], options: { simple: true, prepare: false } })
  statement.reject(new PoolBusyError(`No database connection became free within ${WAIT_MS / 1000} seconds`))
}
