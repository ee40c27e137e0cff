import type { AppError } from '../../../errors.ts'
import { freeBuffer } from '../../../lib/sha256/buffers.ts'
import type { Sha256 } from '../../../lib/sha256/sha256.ts'

export interface IntakeOptions {
  maxBytes: number
  /** Creates the error for a file that is larger than allowed. */
  tooLarge: () => AppError
  hash: Sha256 | null
}

export interface Intake {
  stream: ReadableStream<Uint8Array>
  /** Hashes a piece of the stream that has been stored, and frees its memory. */
  release(piece: Uint8Array): void
  /** How long the client has sent nothing while we were waiting for it. */
  silentMs(): number
}

/** Reads a file without reading ahead, and aborts it when it is too large. */
export function openIntake(source: ReadableStream<Uint8Array>, options: IntakeOptions): Intake {
  const { maxBytes, tooLarge, hash } = options
  const reader = source.getReader()
  let room = maxBytes
  let waitingSince: number | null = null

  async function read() {
    waitingSince = performance.now()
    try {
      return await reader.read()
    } finally {
      waitingSince = null
    }
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (room < 0) throw tooLarge()
        await hash?.room()
        const { done, value } = await read()
        if (done) return controller.close()
        const taken = value.byteLength > room ? value.subarray(0, room) : value
        room -= value.byteLength
        if (taken.byteLength === 0) throw tooLarge()
        controller.enqueue(taken)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return {
    stream,
    release: (piece) => (hash ? hash.update(piece) : freeBuffer(piece)),
    silentMs: () => (waitingSince === null ? 0 : performance.now() - waitingSince),
  }
}
