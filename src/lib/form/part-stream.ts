import type { FormScanner } from './scanner.ts'

/** A file in a form, read from the body only when its consumer asks for more. */
export class PartStream {
  readonly stream: ReadableStream<Uint8Array>
  readonly #scanner: FormScanner
  #reading: Promise<Uint8Array | null> = Promise.resolve(null)
  #isOver = false
  /** The error that ended the form while this file was read. */
  failure: { error: unknown } | null = null

  constructor(scanner: FormScanner) {
    this.#scanner = scanner
    const pull = async (controller: { enqueue(bytes: Uint8Array): void; close(): void }) => {
      this.#reading = this.#read()
      const bytes = await this.#reading
      if (bytes) controller.enqueue(bytes)
      else controller.close()
    }
    this.stream = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  }

  /** Discards the unread bytes. */
  async skip(): Promise<void> {
    await this.#reading
    while ((await this.#read()) !== null);
  }

  async #read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    try {
      const bytes = await this.#scanner.nextBytes()
      this.#isOver = bytes === null
      return bytes
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }
}
