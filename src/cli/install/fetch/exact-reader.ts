/** Takes exact numbers of bytes from a stream of pieces of any size. */
export class ExactReader implements AsyncDisposable {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Pieces of what comes next, together exactly `length` bytes. */
  async *pieces(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0;) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#source.next()
        if (done) throw new Error('The stream ended early')
        this.#rest = value
      }
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async take(length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(length)
    let at = 0
    for await (const piece of this.pieces(length)) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }

  async skip(length: number): Promise<void> {
    const pieces = this.pieces(length)
    while (!(await pieces.next()).done);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source.return?.()
  }
}
