import { sha256Hex } from '../../lib/bytes/hash.ts'
import type { NewFile, Piece } from './plan.ts'

/** Parts that came before those in front of them; a connection that stalls must not fill the memory. */
const WAITING_MAX = 24 * 1024 ** 2

interface Progress {
  hasher: Bun.CryptoHasher
  /** How far the file was hashed. */
  at: number
  waiting: Map<number, Uint8Array>
}

/**
 * Hashes files while their parts come in, nearly in order, so that what was fetched is not read again. A file that
 * cannot be followed to its end is checked part by part.
 */
export class ContentHashes {
  /** Files whose SHA-256 is right. */
  readonly right = new Set<NewFile>()
  readonly #files = new Map<NewFile, Progress>()
  #waitingBytes = 0

  /** `files`: those of which every part will come. */
  constructor(files: Iterable<NewFile>) {
    for (const file of files)
      this.#files.set(file, { hasher: new Bun.CryptoHasher('sha256'), at: 0, waiting: new Map() })
  }

  /** Returns false for content that is certainly wrong. */
  add(file: NewFile, piece: Piece, content: Uint8Array): boolean {
    const progress = this.#files.get(file)
    const isWhole = piece.size === file.size
    if (!progress || isWhole) {
      const isRight = sha256Hex(content) === piece.sha256
      if (isRight && isWhole && piece.sha256 === file.sha256) this.right.add(file)
      return isRight
    }
    if (piece.at < progress.at || progress.waiting.has(piece.at)) return true
    progress.waiting.set(piece.at, content)
    this.#waitingBytes += content.length
    this.#follow(file, progress)
    if (this.#waitingBytes > WAITING_MAX) this.#giveUp(file, progress)
    return true
  }

  #follow(file: NewFile, progress: Progress): void {
    for (let next = progress.waiting.get(progress.at); next; next = progress.waiting.get(progress.at)) {
      progress.waiting.delete(progress.at)
      this.#waitingBytes -= next.length
      progress.hasher.update(next)
      progress.at += next.length
    }
    if (progress.at === file.size && progress.hasher.digest('hex') === file.sha256) this.right.add(file)
  }

  #giveUp(file: NewFile, { waiting }: Progress): void {
    for (const content of waiting.values()) this.#waitingBytes -= content.length
    this.#files.delete(file)
  }
}
