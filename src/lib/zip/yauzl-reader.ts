import { RandomAccessReader } from 'yauzl'

import type { BlockReader } from './block-reader.ts'

/** Lets yauzl read from blocks, and stores the error of a failed source. */
export class YauzlReader extends RandomAccessReader {
  failure: Error | null = null
  readonly #reader: BlockReader

  constructor(reader: BlockReader) {
    super()
    this.#reader = reader
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    void this.#answer(buffer.subarray(offset, offset + length), position, callback)
  }

  async #answer(target: Buffer, position: number, callback: (error: Error | null) => void): Promise<void> {
    callback(await this.#fill(target, position))
  }

  async #fill(target: Buffer, position: number): Promise<Error | null> {
    if (position + target.length > this.#reader.size) return new Error('it ends too early')
    try {
      target.set(await this.#reader.read(position, target.length))
      return null
    } catch (error) {
      return (this.failure = error instanceof Error ? error : new Error(String(error)))
    }
  }
}
