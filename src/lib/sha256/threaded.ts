import { ownsBuffer } from './buffers.ts'
import { HashThread } from './hash-thread.ts'
import type { Sha256 } from './sha256.ts'

let shared: HashThread | null = null
let lastId = 0

/** The thread has the state of a hash for as long as somebody can still ask for it. */
const abandoned = new FinalizationRegistry<{ thread: HashThread; id: number }>(({ thread, id }) => {
  thread.send({ kind: 'drop', id })
})

/** Hashes beside the event loop, in a thread that all hashes share. */
export class ThreadedSha256 implements Sha256 {
  readonly #thread: HashThread
  readonly #id = ++lastId
  #digest: Promise<string> | null = null
  size = 0

  constructor() {
    if (shared === null || shared.hasFailed) shared = new HashThread()
    this.#thread = shared
    abandoned.register(this, { thread: this.#thread, id: this.#id })
  }

  update(piece: Uint8Array): void {
    this.size += piece.byteLength
    this.#thread.hash(this.#id, ownsBuffer(piece) ? piece : new Uint8Array(piece))
  }

  room(): Promise<void> {
    return this.#thread.room()
  }

  digest(): Promise<string> {
    return (this.#digest ??= this.#thread.digest(this.#id))
  }
}
