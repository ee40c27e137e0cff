import { describe, expect, test } from 'bun:test'

import { createRunningHashes } from '../../../../../src/features/builds/uploads/state.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { createSha256, type Sha256 } from '../../../../../src/lib/sha256/sha256.ts'

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
