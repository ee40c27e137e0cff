import { createCollector } from '../../../lib/flow/buffer-memory.ts'
import type { TimeSlice, TimeSlices } from '../../../lib/flow/time-slices.ts'
import { LATE, waitAtMost } from '../../../lib/flow/with-timeout.ts'
import type { Body, WriteOptions, WriteSlot } from '../object-store.ts'

/** Pieces that are not released are garbage until the next full collection. */
const collectPieces = createCollector(128 * 1024 ** 2)

/** Yields the chunks of a body as they arrive. Stopping early or aborting cancels the rest. */
export async function* readPieces(
  body: Body,
  { signal, release }: WriteOptions = {},
): AsyncGenerator<Uint8Array, undefined> {
  signal?.throwIfAborted()
  if (body instanceof Uint8Array) {
    yield body
    return
  }
  const reader = body.getReader()
  const cancel = () => void reader.cancel(signal?.reason).catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      if (!release) collectPieces(value.byteLength)
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

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

/** A sender that pauses this long, or sends less than this meanwhile, releases its slot if others are waiting. */
export const PAUSE_MS = 250
const SLOW_BYTES = 256 * 1024
/** It then waits for a slot again once this many bytes have arrived, or after this time with fewer. */
const GATHER_BYTES = 1024 ** 2
const GATHER_MS = 2000
/** The stream of a body that was read holds memory until it is collected. */
const collect = createCollector(128 * 1024 ** 2)

/** A body that is read in time slices, so that a slow one does not block others. */
export class SlicedBody implements Disposable {
  readonly #stop = new AbortController()
  readonly #pieces: AsyncGenerator<Uint8Array, undefined>
  readonly #slices: TimeSlices
  readonly #slot: WriteSlot | null
  readonly #owner: string | undefined
  /** Read before there was a slot for it. */
  readonly #gathered: Uint8Array[] = []
  #next: Promise<IteratorResult<Uint8Array, undefined>> | null = null
  #bytes = 0
  /** Whether the body was read to its end. */
  isOver = false

  constructor(body: Body, slices: TimeSlices, { signal, release, owner, slot = null }: WriteOptions) {
    const signals = signal ? [this.#stop.signal, signal] : [this.#stop.signal]
    this.#pieces = readPieces(body, { signal: AbortSignal.any(signals), release })
    this.#slices = slices
    this.#slot = slot
    this.#owner = owner
  }

  /** Uses the slot that was acquired before, or acquires one once there is data. If the body has failed, `read` throws. */
  async acquireSlice(): Promise<TimeSlice> {
    const reserved = this.#slot instanceof ReservedSlice ? this.#slot.take() : null
    if (reserved) return reserved
    await this.#gather()
    return await this.#slices.acquire(this.#owner)
  }

  /** Yields the chunks that arrive during this slice. */
  async *read(slice: TimeSlice): AsyncGenerator<Uint8Array, undefined> {
    for (let piece = this.#gathered.shift(); piece; piece = this.#gathered.shift()) yield piece
    const pace = { since: performance.now(), bytes: 0 }
    while (!slice.isExpired()) {
      const next = await waitAtMost(PAUSE_MS, this.#peek())
      if (performance.now() - pace.since >= PAUSE_MS) {
        if (slice.isWanted() && pace.bytes < SLOW_BYTES) return
        Object.assign(pace, { since: performance.now(), bytes: 0 })
      }
      if (next === LATE) continue
      this.#next = null
      this.isOver = next.done === true
      if (next.done) return
      this.#bytes += next.value.byteLength
      pace.bytes += next.value.byteLength
      yield next.value
    }
  }

  /** Waits for data, without a slot. If the body has ended or failed, `read` finds it. */
  async #gather(): Promise<void> {
    await this.#peek().catch(() => undefined)
    const endsAt = performance.now() + GATHER_MS
    for (let bytes = 0; bytes < GATHER_BYTES;) {
      const next = await waitAtMost(Math.max(0, endsAt - performance.now()), this.#peek()).catch(
        (): typeof LATE => LATE,
      )
      if (next === LATE || next.done) return
      this.#next = null
      this.#bytes += next.value.byteLength
      bytes += next.value.byteLength
      this.#gathered.push(next.value)
    }
  }

  /** Cancels the rest of the body. */
  [Symbol.dispose](): void {
    this.#next?.catch(() => undefined)
    this.#stop.abort()
    collect(this.#bytes)
  }

  #peek(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#next ??= this.#pieces.next()
    return this.#next
  }
}
