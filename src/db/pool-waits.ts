import { PoolBusyError } from './errors.ts'

const LOOK_MS = 250
/** Five seconds. Counted in looks, so that nobody is given up because this process itself was slow. */
const LOOKS_MAX = 20

/** A statement of the driver, with the fields of it that are used here. */
export interface Statement extends Promise<unknown> {
  /** null until the statement is sent to the database. */
  state: unknown
  strings: string[]
  args: unknown[]
  options: object
  reject(error: Error): void
}

/** Ends the wait of statements for a connection, which the driver lets wait for ever. */
export class PoolWaits {
  #added: Statement[] = []
  /** Those that were seen before, with how often. */
  #pending = new Map<Statement, number>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(private readonly onAnswer: () => void) {}

  /** On the way of every statement: all the rest is done later, for many at once. */
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
    // What is sent has its connection: from there on Postgres limits its time.
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
 * The driver still has the statement in its queue, and its own `cancel` loses a connection that is being opened for
 * it. So the statement is replaced by one that does nothing when its turn comes.
 */
function giveUp(statement: Statement): void {
  statement.strings = ['select 1']
  statement.args = []
  statement.options = { simple: true, prepare: false }
  const seconds = (LOOK_MS * LOOKS_MAX) / 1000
  statement.reject(new PoolBusyError(`No database connection became free within ${seconds} seconds`))
}
