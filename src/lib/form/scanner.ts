import { freeBuffer, ownsBuffer } from '../flow/buffer-memory.ts'

/** The form is malformed; the message is for its sender. */
export class FormFault extends Error {
  override readonly name = 'FormFault'
}

export const ENDS_EARLY = 'The form ends early; a part of it is missing.'

const CRLF = Buffer.from('\r\n')
const CR = 0x0d
const HEADER_BYTES_MAX = 16 * 1024

/**
 * Scans the body of a form as it arrives, buffering only the current piece. Bytes leave it with their whole buffer or as a
 * copy, so it can free what it has read: as garbage, the pieces of many senders would be hundreds of megabytes.
 */
export class FormScanner {
  readonly #readBody: () => Promise<Uint8Array | null>
  /** A boundary includes the line break before it, so one is put in front of the first. */
  #held = join(CRLF)
  readonly #boundary: Buffer

  constructor(boundary: string, readBody: () => Promise<Uint8Array | null>) {
    this.#boundary = Buffer.from(`\r\n--${boundary}`)
    this.#readBody = readBody
  }

  /** Returns the next bytes before the boundary; null when it is reached, which skips it. */
  async nextBytes(): Promise<Uint8Array | null> {
    for (;;) {
      const found = this.#held.indexOf(this.#boundary)
      if (found === 0) {
        this.#take(this.#boundary.length)
        return null
      }
      const end = found === -1 ? this.#startOfBoundary() : found
      if (end > 0) return this.#take(end)
      await this.#hold()
    }
  }

  /** Call after a boundary. Returns the headers of the next part, or null after the closing boundary. */
  async nextHeaders(): Promise<string | null> {
    while (this.#held.length < 2) await this.#hold()
    if (this.#held.toString('latin1', 0, 2) === '--') {
      this.#free()
      return null
    }
    for (;;) {
      // In a part without headers, the line break after the boundary is the first of the two.
      const end = this.#held.indexOf('\r\n\r\n')
      if (end > HEADER_BYTES_MAX || (end === -1 && this.#held.length > HEADER_BYTES_MAX)) {
        throw new FormFault('The headers of a part are too long.')
      }
      if (end === -1) await this.#hold()
      else return this.#take(end + 4).toString('utf8')
    }
  }

  #take(length: number): Buffer {
    const held = this.#held
    if (length === held.length && ownsBuffer(held)) {
      this.#held = join()
      return held
    }
    const taken = join(held.subarray(0, length))
    this.#held = held.subarray(length)
    if (this.#held.length === 0) this.#free()
    return taken
  }

  async #hold(): Promise<void> {
    const bytes = await this.#readBody()
    if (!bytes) throw new FormFault(ENDS_EARLY)
    if (this.#held.length === 0 && ownsBuffer(bytes)) {
      this.#held = Buffer.from(bytes.buffer)
      return
    }
    const joined = join(this.#held, bytes)
    this.#free()
    freeBuffer(bytes)
    this.#held = joined
  }

  /** Nothing outside refers to this memory. */
  #free(): void {
    this.#held.buffer.transfer(0)
    this.#held = join()
  }

  /** The index where a boundary may begin at the end of the buffer; the buffer's length if none does. */
  #startOfBoundary(): number {
    const held = this.#held
    let at = held.indexOf(CR, Math.max(0, held.length - this.#boundary.length + 1))
    while (at !== -1) {
      if (held.subarray(at).equals(this.#boundary.subarray(0, held.length - at))) return at
      at = held.indexOf(CR, at + 1)
    }
    return held.length
  }
}

/** Unlike `Buffer.concat`, which may share memory with other buffers. */
function join(...parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.byteLength
  }
  return Buffer.from(joined.buffer)
}
