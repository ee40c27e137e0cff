import { PoolBusyError } from '../errors.ts'

export const LOOK_MS = 250
/** Five seconds. Counted in checks, so that a blocked event loop does not cause timeouts. */
export const LOOKS_MAX = 20
export const WAIT_MAX_MS = LOOK_MS * LOOKS_MAX

/** The fields of the driver's statement that are used here. */
export interface Statement extends Promise<unknown> {
  /** null until the statement is sent to the database. */
  state: unknown
  strings: string[]
  args: unknown[]
  options: object
  reject(error: Error): void
}

export interface WaitEvents {
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
export class PoolWaits {
  readonly #silentLooksMax: number
  #added: Statement[] = []
  /** Statements seen by an earlier check. */
  #pending = new Map<Statement, Wait>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(
    private readonly events: WaitEvents,
    silentMs: number,
  ) {
    this.#silentLooksMax = Math.ceil(silentMs / LOOK_MS)
  }

  /** Runs for every statement, so it only queues; the checks run later in batches. */
  add(statement: Statement): void {
    this.#added.push(statement)
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
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
    if (!isSent && wait.looks >= LOOKS_MAX) {
      giveUp(statement)
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
function giveUp(statement: Statement): void {
  statement.strings = ['select 1']
  statement.args = []
  statement.options = { simple: true, prepare: false }
  statement.reject(new PoolBusyError(WAIT_MAX_MS))
}
