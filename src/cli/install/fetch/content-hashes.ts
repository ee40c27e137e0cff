import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSha256, type Sha256 } from '../../../lib/sha256/sha256.ts'
import type { NewFile, Piece } from '../plan.ts'

/** Parts that came before those in front of them; a connection that stalls must not fill the memory. */
const WAITING_MAX = 24 * 1024 ** 2

/** Smaller parts are hashed sooner than sent to the thread. */
const SMALL = 64 * 1024

interface Progress {
  /** Its `size` says how far the file has been hashed. */
  sum: Sha256
  waiting: Map<number, Uint8Array>
}

/**
 * Hashes files in a thread while their parts come in nearly in order, so that fetched bytes need not be read
 * again. A file whose parts cannot all be followed is checked part by part.
 */
export class ContentHashes {
  readonly #right = new Set<NewFile>()
  readonly #ends: Promise<void>[] = []
  readonly #files = new Map<NewFile, Progress>()
  #waitingBytes = 0

  /** `files`: those of which every part will be fetched. */
  constructor(files: Iterable<NewFile>) {
    for (const file of files) this.#files.set(file, { sum: createSha256(), waiting: new Map() })
  }

  /** Takes over the memory of the content. Returns false where it is certainly wrong. */
  async add(file: NewFile, piece: Piece, content: Uint8Array): Promise<boolean> {
    const isWhole = piece.size === file.size
    if (isWhole || !this.#files.has(file)) {
      const isRight = (await hashAlone(content)) === piece.sha256
      if (isRight && isWhole && piece.sha256 === file.sha256) this.#right.add(file)
      return isRight
    }
    await this.#files.get(file)?.sum.room()
    const progress = this.#files.get(file)
    if (!progress || piece.at < progress.sum.size || progress.waiting.has(piece.at)) return true
    progress.waiting.set(piece.at, content)
    this.#waitingBytes += content.length
    this.#follow(file, progress)
    if (this.#waitingBytes > WAITING_MAX) this.#giveUp(file, progress)
    return true
  }

  /** The files whose SHA-256 is right. */
  async finish(): Promise<ReadonlySet<NewFile>> {
    await Promise.all(this.#ends)
    return this.#right
  }

  #follow(file: NewFile, { sum, waiting }: Progress): void {
    for (let next = waiting.get(sum.size); next; next = waiting.get(sum.size)) {
      waiting.delete(sum.size)
      this.#waitingBytes -= next.length
      sum.update(next)
    }
    if (sum.size === file.size) this.#ends.push(this.#end(file, sum))
  }

  async #end(file: NewFile, sum: Sha256): Promise<void> {
    if ((await sum.digest()) === file.sha256) this.#right.add(file)
  }

  #giveUp(file: NewFile, { waiting }: Progress): void {
    for (const content of waiting.values()) this.#waitingBytes -= content.length
    this.#files.delete(file)
  }
}

async function hashAlone(content: Uint8Array): Promise<string> {
  if (content.length < SMALL) return sha256Hex(content)
  const sum = createSha256()
  await sum.room()
  sum.update(content)
  return await sum.digest()
}
