import type { Turn, Turns } from '../../lib/turns.ts'
import { readPieces } from './body-pieces.ts'
import type { Body } from './object-store.ts'

/** A sender that pauses for so long leaves its place to those who wait. */
const PAUSE_MS = 250

/** A body that is read in turns, so that a slow one keeps nobody waiting. */
export class BodyInTurns implements Disposable {
  readonly #stop = new AbortController()
  readonly #pieces: AsyncGenerator<Uint8Array, undefined>
  readonly #turns: Turns
  #next: Promise<IteratorResult<Uint8Array, undefined>> | null = null
  /** Everything was read. */
  isOver = false

  constructor(body: Body, turns: Turns, signal?: AbortSignal) {
    this.#pieces = readPieces(body, AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]))
    this.#turns = turns
  }

  /** A place once there is something to read; a body that fails is told by reading it. */
  async takeTurn(): Promise<Turn> {
    await this.#peek().catch(() => undefined)
    return await this.#turns.take()
  }

  /** What comes during this turn. */
  async *read(turn: Turn): AsyncGenerator<Uint8Array, undefined> {
    while (!turn.isDue()) {
      const next = await within(PAUSE_MS, this.#peek())
      if (next === null) {
        if (turn.isWanted()) return
        continue
      }
      this.#next = null
      this.isOver = next.done === true
      if (next.done) return
      yield next.value
    }
  }

  /** Nothing more will be read. */
  [Symbol.dispose](): void {
    this.#next?.catch(() => undefined)
    this.#stop.abort()
  }

  #peek(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#next ??= this.#pieces.next()
    return this.#next
  }
}

/** null when it takes longer. */
async function within<Result>(ms: number, promise: Promise<Result>): Promise<Result | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), ms)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
