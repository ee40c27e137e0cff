import { describe, expect, test } from 'bun:test'

import { InlineSha256, ThreadedSha256 } from '../../../src/lib/sha256/sha256.ts'

const MIB = 1024 * 1024

describe.each([
  ['in the event loop', InlineSha256],
  ['in a thread', ThreadedSha256],
])('a SHA-256 %s', (_, Hash) => {
  test('covers the pieces of each hash in order, however they are mixed', async () => {
    const hashes = Array.from({ length: 5 }, () => new Hash())
    for (const letter of 'lighthouse') {
      hashes.forEach((hash, index) => hash.update(Buffer.from(letter.repeat(index + 1))))
    }
    for (const [index, hash] of hashes.entries()) {
      const text = Array.from('lighthouse', (letter) => letter.repeat(index + 1)).join('')
      expect(hash.size).toBe(text.length)
      expect(await hash.digest()).toBe(Bun.SHA256.hash(text, 'hex'))
      expect(await hash.digest()).toBe(Bun.SHA256.hash(text, 'hex'))
    }
  })

  test('of nothing is the one of no bytes', async () => {
    expect(await new Hash().digest()).toBe(Bun.SHA256.hash('', 'hex'))
  })

  test('frees the memory of whole buffers, and leaves the rest of shared ones alone', async () => {
    const hash = new Hash()
    const whole = new Uint8Array(MIB)
    const shared = Buffer.alloc(MIB, 7)
    hash.update(whole)
    hash.update(shared.subarray(10, 20))
    const bytes = new Uint8Array(MIB + 10).fill(7, MIB)
    expect(await hash.digest()).toBe(Bun.SHA256.hash(bytes, 'hex'))
    expect(whole.byteLength).toBe(0)
    expect(shared[15]).toBe(7)
  })

  test('has room again when it has caught up', async () => {
    const hash = new Hash()
    for (let round = 0; round < 40; round++) {
      await hash.room()
      hash.update(new Uint8Array(MIB))
    }
    expect(await hash.digest()).toBe(Bun.SHA256.hash(new Uint8Array(40 * MIB), 'hex'))
  })
})

test('the thread has no room while megabytes wait for it', async () => {
  const hash = new ThreadedSha256()
  hash.update(new Uint8Array(20 * MIB))
  let hasRoom = false
  const room = hash.room().then(() => (hasRoom = true))
  await Promise.resolve()
  expect(hasRoom).toBe(false)
  await room
  expect(hasRoom).toBe(true)
})
