import type { AppError } from '../../../errors.ts'
import type { RunningHash } from './running-hashes.ts'

export interface IntakeOptions {
  maxBytes: number
  /** Creates the error for a file that is larger than allowed. */
  tooLarge: () => AppError
  hash: RunningHash | null
}

export interface Intake {
  stream: ReadableStream<Uint8Array>
  /** How long the client has sent nothing while we were waiting for it. */
  silentMs(): number
}

/** Hashes a file while it is read, without reading ahead, and aborts it when it is too large. */
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
        const { done, value } = await read()
        if (done) return controller.close()
        const taken = value.byteLength > room ? value.subarray(0, room) : value
        room -= value.byteLength
        if (taken.byteLength === 0) throw tooLarge()
        hash?.update(taken)
        controller.enqueue(taken)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return { stream, silentMs: () => (waitingSince === null ? 0 : performance.now() - waitingSince) }
}
