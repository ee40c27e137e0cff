import { waitAtMost } from './with-timeout.ts'

/** Yields groups of up to `size` items, in order; none is empty. */
export async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

interface BatchOptions<Item> {
  /** How long an item waits for others, so that they are written in one batch. */
  gatherMs: number
  maxBatchSize: number
  /** Bounds the pending items and those being written. */
  maxHeldSize: number
  /** Without this every item has size 1. */
  sizeOf?: (item: Item) => number
  parallel?: number
  /** When it throws, the batch is retried a second later. */
  write: (batch: readonly Item[]) => Promise<void>
}

const RETRY_MS = 1000

/** Collects items for a short time and writes them together, in the order they were added. */
export class BatchWriter<Item> {
  #waiting: Item[] = []
  #heldSize = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #runs = new Set<Promise<void>>()
  readonly #options: Required<BatchOptions<Item>>

  constructor(options: BatchOptions<Item>) {
    this.#options = { sizeOf: () => 1, parallel: 1, ...options }
  }

  get heldSize(): number {
    return this.#heldSize
  }

  /** Returns false, and does not add the item, when the buffer is full. */
  add(item: Item): boolean {
    const size = this.#options.sizeOf(item)
    if (this.#heldSize + size > this.#options.maxHeldSize) return false
    this.#heldSize += size
    this.#waiting.push(item)
    this.#startAfter(this.#options.gatherMs)
    return true
  }

  /** Settles when everything added so far was written, or has failed and will be retried. */
  async flush(): Promise<void> {
    // The write in flight may have started before the latest item was added.
    await Promise.all(this.#runs)
    this.#start()
    await Promise.all(this.#runs)
  }

  /** Writes the remaining items. Gives up after `maxMs`; `heldSize` is then the size of what is lost. */
  async close(maxMs: number): Promise<void> {
    await waitAtMost(maxMs, this.#drain(Date.now() + maxMs))
    clearTimeout(this.#timer)
  }

  async #drain(deadline: number): Promise<void> {
    await this.flush()
    while (this.#waiting.length > 0 && Date.now() < deadline) {
      await Bun.sleep(RETRY_MS)
      await this.flush()
    }
  }

  #startAfter(ms: number): void {
    this.#timer ??= setTimeout(() => this.#start(), ms)
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0 && this.#runs.size < this.#options.parallel) {
      const run = this.#run().finally(() => this.#runs.delete(run))
      this.#runs.add(run)
    }
  }

  /** Writes one batch after the other until nothing is pending. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch()
      try {
        await this.#options.write(batch)
      } catch {
        this.#waiting = [...batch, ...this.#waiting]
        this.#startAfter(RETRY_MS)
        return
      }
      this.#heldSize -= batch.reduce((size, item) => size + this.#options.sizeOf(item), 0)
    }
  }

  #takeBatch(): Item[] {
    const { sizeOf, maxBatchSize } = this.#options
    let size = 0
    const end = this.#waiting.findIndex((item) => (size += sizeOf(item)) > maxBatchSize)
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(1, end))
  }
}
