import type { AppError } from '../../../errors.ts'
import type { RunningHash } from './running-hashes.ts'

export interface IntakeOptions {
  maxBytes: number
  /** What one byte more than allowed is called. */
  tooLarge: () => AppError
  hash: RunningHash | null
}

export interface Intake {
  stream: ReadableStream<Uint8Array>
  /** How long the other side has been silent while we wait for it. */
  silentMs(): number
}

/** Hashes a file on its way, never further than its reader has come, and breaks it off where it grows too large. */
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
