import { PoolBusyError } from './errors.ts'

const LOOK_MS = 250
/** Five seconds. Counted in checks, so that a blocked event loop does not cause timeouts. */
const LOOKS_MAX = 20

/** The fields of the driver's statement that are used here. */
export interface Statement extends Promise<unknown> {
  /** null until the statement is sent to the database. */
  state: unknown
  strings: string[]
  args: unknown[]
  options: object
  reject(error: Error): void
}

/** Times out statements that wait for a connection; the driver would let them wait forever. */
export class PoolWaits {
  #added: Statement[] = []
  /** Statements seen by an earlier check, with the number of checks. */
  #pending = new Map<Statement, number>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(private readonly onAnswer: () => void) {}

  /** Runs for every statement, so it only queues; the checks run later in batches. */
  add(statement: Statement): void {
    this.#added.push(statement)
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  #look(): void {
    for (const [statement, looks] of this.#pending) {
      if (this.#isPending(statement, looks)) this.#pending.set(statement, looks + 1)
      else this.#pending.delete(statement)
    }
    for (const statement of this.#added.splice(0)) {
      if (this.#isPending(statement, 0)) this.#pending.set(statement, 1)
    }
    if (this.#pending.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #isPending(statement: Statement, looks: number): boolean {
    // A sent statement has its connection; from then on Postgres enforces the statement timeout.
    const isSent = statement.state !== null
    if (Bun.peek.status(statement) === 'pending') {
      if (isSent || looks < LOOKS_MAX) return true
      giveUp(statement)
    } else if (isSent) {
      this.onAnswer()
    }
    return false
  }
}

/**
 * The statement is still in the driver's queue, and the driver's `cancel` would leak a connection that is
 * being opened for it. So it is replaced by a harmless statement.
 */
function giveUp(statement: Statement): void {
  statement.strings = ['select 1']
  statement.args = []
  statement.options = { simple: true, prepare: false }
  const seconds = (LOOK_MS * LOOKS_MAX) / 1000
  statement.reject(new PoolBusyError(`No database connection became free within ${seconds} seconds`))
}
