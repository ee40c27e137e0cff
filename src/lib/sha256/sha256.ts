/** A SHA-256 of bytes that arrive in pieces. */
export interface Sha256 {
  /** How many bytes it covers. */
  readonly size: number
  /** Takes over the memory of the piece, which cannot be read afterwards. */
  update(piece: Uint8Array): void
  /** Resolves when the pieces before have been hashed, except for a few. Wait for it before each `update`. */
  room(): Promise<void>
  /** In hex. Can be called more than once, but nothing can be added afterwards. */
  digest(): Promise<string>
}
