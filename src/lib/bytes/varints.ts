/** Collects bytes and whole numbers; the numbers as LEB128, seven bits a byte with the lowest first. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  varint(value: number): void {
    let rest = value
    this.#reserve(8)
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80
    this.#bytes[this.#length++] = rest
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  get length(): number {
    return this.#length
  }

  /** What was written; the writer must not be used afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** The scale of the eighth byte, the last one that a safe integer can need. */
const SCALE_MAX = 0x80 ** 7

/** The bytes end too early, or a number is too large. */
export class MalformedBytes extends Error {
  override readonly name = 'MalformedBytes'
}

/** Reads what `ByteWriter` wrote. Throws `MalformedBytes` for anything else. */
export class ByteReader {
  #at = 0

  constructor(private readonly source: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#at === this.source.length
  }

  get remaining(): number {
    return this.source.length - this.#at
  }

  varint(): number {
    let value = 0
    for (let scale = 1; scale <= SCALE_MAX; scale *= 0x80) {
      const byte = this.source[this.#at++]
      if (byte === undefined) throw new MalformedBytes('The bytes end within a number')
      value += (byte & 0x7f) * scale
      if (value > Number.MAX_SAFE_INTEGER) break
      if (byte < 0x80) return value
    }
    throw new MalformedBytes('A number is too large')
  }

  /** A view of the next bytes. */
  bytes(count: number): Uint8Array {
    if (count > this.remaining) throw new MalformedBytes('The bytes end too early')
    this.#at += count
    return this.source.subarray(this.#at - count, this.#at)
  }
}
