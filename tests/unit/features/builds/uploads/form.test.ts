import { describe, expect, test } from 'bun:test'

import { AppError } from '../../../../../src/errors.ts'
import { lengthOf, parseContentRange } from '../../../../../src/features/builds/uploads/chunks.ts'
import { type Intake, openIntake, requestMs } from '../../../../../src/features/builds/uploads/form.ts'
import { createRunningHashes } from '../../../../../src/features/builds/uploads/state.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { createSha256, type Sha256 } from '../../../../../src/lib/sha256/sha256.ts'
import { makeBytes, streamOf } from '../../../../contract/object-store-bytes.ts'

const MINUTE = 60_000
const KB512 = 512 * 1024

describe('the time of a request', () => {
  test.each([
    [0, 5 * MINUTE],
    [KB512, 5 * MINUTE + 1000],
    [16 * 1024 ** 2, 5 * MINUTE + 32_000],
    [5 * 1024 ** 3, 175 * MINUTE + 40_000],
    [6 * 1024 ** 3, 180 * MINUTE],
  ])('of %i bytes is %i ms', (bytes, ms) => {
    expect(requestMs(bytes)).toBe(ms)
  })
})

describe('Content-Range', () => {
  test.each([
    ['bytes 0-0/1', { start: 0, end: 0, total: 1 }, 1],
    [
      'bytes 16777216-33554431/104857600',
      { start: 16_777_216, end: 33_554_431, total: 104_857_600 },
      16_777_216,
    ],
    [' Bytes 5-9/10 ', { start: 5, end: 9, total: 10 }, 5],
  ])('%p is read', (header, range, length) => {
    expect(parseContentRange(header)).toEqual(range)
    expect(lengthOf(range)).toBe(length)
  })

  test.each([null, '', 'bytes', 'bytes 0-0', 'bytes 0-0/*', 'bytes */10', 'bytes 1-0/10', 'bytes 0-10/10'])(
    '%p is none',
    (header) => {
      expect(parseContentRange(header)).toBeNull()
    },
  )
})

const BYTES = makeBytes(1000)
const tooLarge = () => new AppError('upload_too_large')

function intakeOf(maxBytes: number, chunkSize: number) {
  const hash = createSha256()
  return { hash, ...openIntake(streamOf(BYTES, chunkSize), { maxBytes, tooLarge, hash }) }
}

/** Reads like a store. */
async function drain({ stream, release }: Intake): Promise<{ read: number; error: unknown }> {
  const reader = stream.getReader()
  for (let read = 0; ;) {
    try {
      const { done, value } = await reader.read()
      if (done) return { read, error: null }
      read += value.byteLength
      release(value)
    } catch (error) {
      return { read, error }
    }
  }
}

describe('the intake of a file', () => {
  test.each([1, 7, 100, 1000])('hands its bytes on in pieces of %i and hashes them', async (chunkSize) => {
    const { hash, ...intake } = intakeOf(1000, chunkSize)
    expect(await drain(intake)).toEqual({ read: 1000, error: null })
    expect(hash.size).toBe(1000)
    expect(await hash.digest()).toBe(sha256Hex(BYTES))
  })

  test.each([
    [999, 1000],
    [999, 333],
    [998, 499],
    [500, 7],
    [1, 1],
  ])('of at most %i bytes breaks off behind them, in pieces of %i', async (maxBytes, chunkSize) => {
    const { hash, ...intake } = intakeOf(maxBytes, chunkSize)
    const { read, error } = await drain(intake)
    expect(read).toBe(maxBytes)
    expect(error).toMatchObject({ kind: 'upload_too_large' })
    expect(await hash.digest()).toBe(sha256Hex(BYTES.subarray(0, maxBytes)))
  })

  test('takes nothing that nobody reads', async () => {
    let pulled = 0
    const source = new ReadableStream<Uint8Array>(
      { pull: (control) => control.enqueue(new Uint8Array((pulled += 1))) },
      { highWaterMark: 0 },
    )
    await openIntake(source, { maxBytes: 10, tooLarge, hash: null }).stream.getReader().read()
    expect(pulled).toBe(1)
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

function hashOf(text: string): Sha256 {
  const hash = createSha256()
  hash.update(new TextEncoder().encode(text))
  return hash
}

describe('running hashes', () => {
  test('begin anew with every upload, and go on where they were kept', async () => {
    const hashes = createRunningHashes()
    expect(hashes.take('a', 0)?.size).toBe(0)
    hashes.keep('a', hashOf('abc'))
    const hash = hashes.take('a', 3)
    expect(await hash?.digest()).toBe(sha256Hex('abc'))
  })

  test('are not there twice, nor when they cover anything but the asked bytes', () => {
    const hashes = createRunningHashes()
    hashes.keep('a', hashOf('abc'))
    expect(hashes.take('a', 2)).toBeNull()
    expect(hashes.take('a', 3)).toBeNull()
    expect(hashes.take('b', 3)).toBeNull()
  })

  test('of long ago are forgotten first', () => {
    const hashes = createRunningHashes()
    for (let index = 0; index <= 1000; index += 1) hashes.keep(`${index}`, hashOf('abc'))
    expect(hashes.take('0', 3)).toBeNull()
    expect(hashes.take('1', 3)).not.toBeNull()
    expect(hashes.take('1000', 3)).not.toBeNull()
  })
})
