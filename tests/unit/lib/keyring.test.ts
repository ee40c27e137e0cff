import { describe, expect, test } from 'bun:test'

import { createKeyring } from '../../../src/lib/keyring.ts'

const [oldKey, newKey] = ['o'.repeat(32), 'n'.repeat(32)]

describe('encryption at rest', () => {
  const keyring = createKeyring(newKey, null)

  test('gives back what was put in, and never the same ciphertext twice', () => {
    const [one, two] = [keyring.encrypt('schlüssel', 'row 1'), keyring.encrypt('schlüssel', 'row 1')]
    expect(one).not.toBe(two)
    expect(one).not.toContain('schlüssel')
    expect(keyring.decrypt(one, 'row 1')).toBe('schlüssel')
  })

  test('refuses a ciphertext that was moved or changed', () => {
    const sealed = keyring.encrypt('secret', 'row 1')
    expect(() => keyring.decrypt(sealed, 'row 2')).toThrow()
    const at = sealed.length - 5
    const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    expect(() => keyring.decrypt(flipped, 'row 1')).toThrow()
    expect(() => keyring.decrypt('nonsense', 'row 1')).toThrow('SECRET_KEY_PREVIOUS')
  })

  test('reads what the previous key made, and says that it is stale', () => {
    const sealed = createKeyring(oldKey, null).encrypt('secret', 'row 1')
    const rotating = createKeyring(newKey, oldKey)
    expect(rotating.decrypt(sealed, 'row 1')).toBe('secret')
    expect(rotating.isStale(sealed)).toBe(true)
    expect(rotating.isStale(rotating.encrypt('secret', 'row 1'))).toBe(false)
    expect(() => keyring.decrypt(sealed, 'row 1')).toThrow('SECRET_KEY_PREVIOUS')
  })
})

describe('signatures', () => {
  test('of the previous key are still good, of another are not', () => {
    const signature = createKeyring(oldKey, null).sign('message')
    expect(createKeyring(newKey, oldKey).verify('message', signature)).toBe(true)
    expect(createKeyring(newKey, null).verify('message', signature)).toBe(false)
    expect(createKeyring(oldKey, null).verify('another message', signature)).toBe(false)
  })
})

test('every purpose has a secret of its own, newest key first', () => {
  const keyring = createKeyring(newKey, oldKey)
  expect(keyring.derive('a')).toHaveLength(2)
  expect(keyring.derive('a')[0]).not.toBe(keyring.derive('b')[0])
  expect(keyring.derive('a')[1]).toBe(createKeyring(oldKey, null).derive('a')[0])
})
