import type { TimeSlice } from '../../../lib/flow/time-slices.ts'
import type { WriteSlot } from '../object-store.ts'

/** A slice that is acquired before its body can be read. It is released if the body does not follow within `ms`. */
export class ReservedSlice implements WriteSlot {
  #slice: TimeSlice | null
  readonly #timer: NodeJS.Timeout

  constructor(slice: TimeSlice, ms: number) {
    this.#slice = slice
    this.#timer = setTimeout(() => this[Symbol.dispose](), ms)
  }

  /** Null if it was released or taken before. */
  take(): TimeSlice | null {
    clearTimeout(this.#timer)
    const slice = this.#slice
    this.#slice = null
    return slice
  }

  [Symbol.dispose](): void {
    this.take()?.[Symbol.dispose]()
  }
}
