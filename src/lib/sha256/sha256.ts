import { availableParallelism } from 'node:os'

import { freeBuffer, ownsBuffer } from '../flow/buffer-memory.ts'
import type { FromHasher, HashUpdate, ToHasher } from './thread.ts'

/** A SHA-256 of bytes that arrive in pieces. */
export interface Sha256 {
  /** The number of bytes added so far. */
  readonly size: number
  /** Takes over the memory of the piece, which cannot be read afterwards. */
  update(piece: Uint8Array): void
  /** Resolves once nearly all earlier pieces have been hashed. Wait for it before each `update`. */
  room(): Promise<void>
  /** In hex. Can be called more than once, but nothing can be added afterwards. */
  digest(): Promise<string>
}

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

/** How many bytes of all hashes may wait for the thread. */
const WAITING_BYTES_MAX = 8 * 1024 ** 2

/** The event loop's side of the thread. */
class HashThread {
  readonly #worker: Worker
  readonly #digests = new Map<number, PromiseWithResolvers<string>>()
  #waitingBytes = 0
  #unsent: HashUpdate[] = []
  #room: PromiseWithResolvers<void> | null = null
  #failure: Error | null = null

  constructor() {
    // In the compiled binary, module paths are relative to the entry point.
    const entry = Bun.isStandaloneExecutable ? './lib/sha256/thread.ts' : './thread.ts'
    this.#worker = new Worker(new URL(entry, import.meta.url).href, {
      name: 'sha256',
      smol: true,
      ref: false,
    })
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromHasher>) => this.#receive(data))
    this.#worker.addEventListener('error', ({ message }) => this.#fail(new Error(message)))
    this.#worker.addEventListener('close', () => this.#fail(new Error('The hashing thread ended')))
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  send(message: ToHasher, transfer: Bun.Transferable[] = []): void {
    if (!this.#failure) this.#worker.postMessage(message, transfer)
  }

  /** Pieces that are added together share one message, which costs more than hashing a small one. */
  hash(id: number, piece: Uint8Array<ArrayBuffer>): void {
    this.#waitingBytes += piece.byteLength
    this.#unsent.push({ id, piece })
    if (this.#unsent.length === 1) queueMicrotask(() => this.#sendPieces())
  }

  async room(): Promise<void> {
    if (this.#waitingBytes < WAITING_BYTES_MAX || this.#failure) return
    this.#room ??= Promise.withResolvers()
    await this.#room.promise
  }

  async digest(id: number): Promise<string> {
    if (this.#failure) throw this.#failure
    const digest = Promise.withResolvers<string>()
    this.#digests.set(id, digest)
    this.#sendPieces()
    this.send({ kind: 'digest', id })
    return await digest.promise
  }

  #sendPieces(): void {
    if (this.#unsent.length === 0) return
    const updates = this.#unsent
    this.#unsent = []
    this.send(
      { kind: 'update', updates },
      updates.map(({ piece }) => piece.buffer),
    )
  }

  #receive(message: FromHasher): void {
    if (message.kind === 'digest') {
      this.#digests.get(message.id)?.resolve(message.digest)
      this.#digests.delete(message.id)
      return
    }
    this.#waitingBytes -= message.bytes
    if (this.#waitingBytes < WAITING_BYTES_MAX) this.#makeRoom()
  }

  #makeRoom(): void {
    this.#room?.resolve()
    this.#room = null
  }

  #fail(failure: Error): void {
    this.#failure ??= failure
    for (const digest of this.#digests.values()) digest.reject(failure)
    this.#digests.clear()
    this.#makeRoom()
  }
}

let shared: HashThread | null = null
let lastId = 0

/** Drops the thread's state of a hash once nothing refers to the hash any more. */
const abandoned = new FinalizationRegistry<{ thread: HashThread; id: number }>(({ thread, id }) => {
  thread.send({ kind: 'drop', id })
})

/** Hashes in a thread that all hashes share, so that the event loop stays free. */
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

/** Hashes in a thread, unless there is only one core: then the event loop would wait for it anyway. */
export function createSha256(): Sha256 {
  return availableParallelism() > 1 ? new ThreadedSha256() : new InlineSha256()
}
