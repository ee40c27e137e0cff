import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

import { equalsConstantTime } from './bytes/hash.ts'

/**
 * All uses of SECRET_KEY, each with its own derived key. Values made with SECRET_KEY_PREVIOUS can still be
 * read; new ones always use SECRET_KEY.
 */
export interface Keyring {
  /** `context` names the row and column: a ciphertext copied elsewhere does not decrypt. */
  encrypt(plaintext: string, context: string): string
  decrypt(ciphertext: string, context: string): string
  /** Whether the ciphertext was made with a key other than the current one. */
  isStale(ciphertext: string): boolean
  sign(message: string): string
  verify(message: string, signature: string): boolean
  /** Secrets for a library that needs its own, newest first. */
  derive(purpose: string): string[]
}

interface Key {
  id: string
  encryption: Buffer
  signing: Buffer
  secret: string
}

const FORMAT = 'v1'

export function createKeyring(secretKey: string, previous: string | null): Keyring {
  const current = deriveKey(secretKey)
  const keys = previous ? [current, deriveKey(previous)] : [current]
  return {
    encrypt(plaintext, context) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current.encryption, iv).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([
        iv,
        cipher.update(plaintext, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return `${FORMAT}.${current.id}.${sealed.toString('base64url')}`
    },
    decrypt(ciphertext, context) {
      const [format, id, body] = ciphertext.split('.')
      const key = keys.find((candidate) => candidate.id === id)
      if (format !== FORMAT || !key || !body) {
        throw new Error(
          'A stored secret was encrypted under another SECRET_KEY: set SECRET_KEY_PREVIOUS to that key',
        )
      }
      const sealed = Buffer.from(body, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key.encryption, sealed.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(-16))
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
    },
    isStale: (ciphertext) => ciphertext.split('.')[1] !== current.id,
    sign: (message) => hmac(current.signing, message),
    verify: (message, signature) =>
      keys.some((key) => equalsConstantTime(hmac(key.signing, message), signature)),
    derive: (purpose) => keys.map((key) => expand(key.secret, purpose).toString('base64url')),
  }
}

function deriveKey(secret: string): Key {
  return {
    id: expand(secret, 'key id').subarray(0, 4).toString('hex'),
    encryption: expand(secret, 'encryption at rest'),
    signing: expand(secret, 'link signatures'),
    secret,
  }
}

function expand(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'playshelf', purpose, 32))
}

function hmac(key: Buffer, message: string): string {
  return new Bun.CryptoHasher('sha256', key).update(message).digest('base64url')
}
