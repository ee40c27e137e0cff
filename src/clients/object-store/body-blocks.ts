/** Memory used again and again: large blocks would otherwise pile up between two runs of the collector. */
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
    },
  }
}

export interface BlockOptions {
  pool: BlockPool
  /** How many blocks may be on their way at once; memory is this plus one. */
  parallel: number
  /** The block's memory is used again as soon as the promise settles. */
  send: (block: Uint8Array) => Promise<void>
  /** Bytes that come before the others. */
  head?: Uint8Array
}

/** Disposing gives the memory of the rest back. */
export interface BlocksSent extends Disposable {
  /** What was left over, shorter than a block. */
  rest: Uint8Array
  /** Why the body stopped early; everything it gave before is in the blocks and the rest. */
  bodyFailure: { error: unknown } | null
}

/** Cuts a body of unknown length into blocks of one size. A failing `send` is thrown, once all others settled. */
export async function sendInBlocks(
  pieces: AsyncIterable<Uint8Array>,
  options: BlockOptions,
): Promise<BlocksSent> {
  const { pool, parallel, send, head } = options
  const { blockSize } = pool
  const running = new Set<Promise<void>>()
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

  async function flush(): Promise<void> {
    const job: Promise<void> = launch(block).finally(() => running.delete(job))
    running.add(job)
    if (running.size >= parallel) await Promise.race(running)
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
    for await (const piece of pieces) await add(piece)
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
