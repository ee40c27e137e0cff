import { freeBuffer } from '../../../lib/flow/buffer-memory.ts'
import type { TimeSlice } from '../../../lib/flow/time-slices.ts'

/** Reuses memory: large blocks would otherwise accumulate between garbage collections. */
export interface BlockPool {
  readonly blockSize: number
  take(): Uint8Array
  give(block: Uint8Array): void
}

export function createBlockPool(blockSize: number, keep: number): BlockPool {
  const free: Uint8Array[] = []
  return {
    blockSize,
    take: () => free.pop() ?? new Uint8Array(blockSize),
    give(block) {
      if (free.length < keep) free.push(block)
      else freeBuffer(block)
    },
  }
}

interface BlockOptions {
  pool: BlockPool
  /** Each block in memory takes a slot, the first one that of the slice itself. */
  slice: Pick<TimeSlice, 'tryExtend'>
  /** How many blocks may be in flight while one more is being filled, if there are slots for them. */
  parallel: number
  /** The block's memory is reused as soon as the promise settles. */
  send: (block: Uint8Array) => Promise<void>
  /** Bytes to send before the body. */
  head?: Uint8Array
  /** Called with each piece once it was copied into a block. */
  release?: ((piece: Uint8Array) => void) | undefined
}

/** Disposing returns the memory of `rest` to the pool. */
interface BlocksSent extends Disposable {
  /** The remaining bytes, less than a block. */
  rest: Uint8Array
  /** Why the body stopped early; all bytes before that are in the blocks and the rest. */
  bodyFailure: { error: unknown } | null
}

/** Splits a body of unknown length into equal blocks. Throws an error of `send` after all others settled. */
export async function sendInBlocks(
  pieces: AsyncIterable<Uint8Array>,
  options: BlockOptions,
): Promise<BlocksSent> {
  const { pool, slice, parallel, send, head, release } = options
  const { blockSize } = pool
  const running = new Set<Promise<void>>()
  const moreSlots: Disposable[] = []
  let block = pool.take()
  let filled = 0
  let sendFailure: { error: unknown } | null = null

  async function launch(full: Uint8Array): Promise<void> {
    try {
      await send(full)
      pool.give(full)
    } catch (error) {
      sendFailure ??= { error }
    }
  }

  function hasSlot(): boolean {
    if (running.size > parallel) return false
    if (running.size <= moreSlots.length) return true
    const slot = slice.tryExtend()
    if (slot) moreSlots.push(slot)
    return slot !== null
  }

  async function flush(): Promise<void> {
    const job: Promise<void> = launch(block).finally(() => {
      running.delete(job)
      if (moreSlots.length > running.size) moreSlots.pop()?.[Symbol.dispose]()
    })
    running.add(job)
    while (!hasSlot()) await Promise.race(running)
    if (sendFailure) throw sendFailure.error
    block = pool.take()
    filled = 0
  }

  async function add(bytes: Uint8Array): Promise<void> {
    for (let offset = 0; offset < bytes.length;) {
      const taken = bytes.subarray(offset, offset + blockSize - filled)
      block.set(taken, filled)
      filled += taken.length
      offset += taken.length
      if (filled === blockSize) await flush()
    }
  }

  let bodyFailure: BlocksSent['bodyFailure'] = null
  try {
    if (head) await add(head)
    for await (const piece of pieces) {
      await add(piece)
      release?.(piece)
    }
  } catch (error) {
    bodyFailure = { error }
  }
  await Promise.all(running)
  throwFailure(sendFailure)
  return { rest: block.subarray(0, filled), bodyFailure, [Symbol.dispose]: () => pool.give(block) }
}

export function throwFailure(failure: { error: unknown } | null): void {
  if (failure) throw failure.error
}
