import { describe, expect, test } from 'bun:test'

import { AppError } from '../../../../../src/errors.ts'
import { openIntake } from '../../../../../src/features/builds/uploads/intake.ts'
import { RunningHash } from '../../../../../src/features/builds/uploads/running-hashes.ts'
import { sha256Hex } from '../../../../../src/lib/hash.ts'
import { makeBytes, streamOf } from '../../../../contract/object-store-bytes.ts'

const BYTES = makeBytes(1000)
const tooLarge = () => new AppError('upload_too_large')

function intakeOf(maxBytes: number, chunkSize: number) {
  const hash = new RunningHash()
  return { hash, ...openIntake(streamOf(BYTES, chunkSize), { maxBytes, tooLarge, hash }) }
}

async function drain(stream: ReadableStream<Uint8Array>): Promise<{ read: number; error: unknown }> {
  const reader = stream.getReader()
  for (let read = 0; ;) {
    try {
      const { done, value } = await reader.read()
      if (done) return { read, error: null }
      read += value.byteLength
    } catch (error) {
      return { read, error }
    }
  }
}

describe('the intake of a file', () => {
  test.each([1, 7, 100, 1000])('hands its bytes on in pieces of %i and hashes them', async (chunkSize) => {
    const { stream, hash } = intakeOf(1000, chunkSize)
    expect(await drain(stream)).toEqual({ read: 1000, error: null })
    expect(hash.size).toBe(1000)
    expect(hash.digest()).toBe(sha256Hex(BYTES))
  })

  test.each([
    [999, 1000],
    [999, 333],
    [998, 499],
    [500, 7],
    [1, 1],
  ])('of at most %i bytes breaks off behind them, in pieces of %i', async (maxBytes, chunkSize) => {
    const { stream, hash } = intakeOf(maxBytes, chunkSize)
    const { read, error } = await drain(stream)
    expect(read).toBe(maxBytes)
    expect(error).toMatchObject({ kind: 'upload_too_large' })
    expect(hash.digest()).toBe(sha256Hex(BYTES.subarray(0, maxBytes)))
  })

  test('takes nothing that nobody reads', async () => {
    const { stream, hash } = intakeOf(1000, 100)
    await stream.getReader().read()
    expect(hash.size).toBe(100)
  })

  test('knows how long the sender is silent', async () => {
    const { promise, resolve } = Promise.withResolvers<Uint8Array>()
    const source = new ReadableStream<Uint8Array>({ pull: async (control) => control.enqueue(await promise) })
    const { stream, silentMs } = openIntake(source, { maxBytes: 10, tooLarge, hash: null })
    expect(silentMs()).toBe(0)
    const reading = stream.getReader().read()
    await Bun.sleep(2)
    expect(silentMs()).toBeGreaterThan(0)
    resolve(new Uint8Array(3))
    await reading
    expect(silentMs()).toBe(0)
  })
})
