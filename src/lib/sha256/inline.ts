import { freeBuffer } from './buffers.ts'
import type { Sha256 } from './sha256.ts'

export class InlineSha256 implements Sha256 {
  readonly #hasher = new Bun.CryptoHasher('sha256')
  #digest: string | null = null
  size = 0

  update(piece: Uint8Array): void {
    this.size += piece.byteLength
    this.#hasher.update(piece)
    freeBuffer(piece)
  }

  async room(): Promise<void> {}

  async digest(): Promise<string> {
    return (this.#digest ??= this.#hasher.digest('hex'))
  }
}
