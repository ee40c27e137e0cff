import type { FromHasher, HashUpdate, ToHasher } from './messages.ts'

/** How many bytes of all hashes may wait for the thread. */
const WAITING_BYTES_MAX = 8 * 1024 ** 2

/** The event loop's side of the thread. */
export class HashThread {
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
