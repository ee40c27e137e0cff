import { timingSafeEqual } from 'node:crypto'

import { AppError } from '../../../errors.ts'
import { DEFAULT_CONTENT_TYPE, LINK_SECONDS, type LinkOptions, type SignedLink } from '../object-store.ts'

export interface LinkKeys {
  signing: string | Uint8Array
  /** Links signed with these keys stay valid until they expire. */
  previous?: readonly (string | Uint8Array)[]
}

export interface LinkClaims {
  filename: string
  contentType: string
}

export interface LinkSigner {
  sign(key: string, options: LinkOptions): SignedLink
  verify(key: string, query: Readonly<Record<string, string | undefined>>): LinkClaims
}

export function createLinkSigner(baseUrl: string, keys: LinkKeys): LinkSigner {
  return {
    sign(key, { filename, expiresInSeconds = LINK_SECONDS, contentType = DEFAULT_CONTENT_TYPE }) {
      const expires = String(Date.now() + expiresInSeconds * 1000)
      const name = filename.toWellFormed()
      const signature = computeSignature(keys.signing, [key, expires, name, contentType]).toString(
        'base64url',
      )
      const query = `filename=${encodeURIComponent(name)}&type=${encodeURIComponent(contentType)}&signature=${signature}`
      return {
        url: `${baseUrl}/objects/${key}?expires=${expires}&${query}`,
        expires_at: new Date(Number(expires)).toISOString(),
      }
    },

    verify(key, { expires = '', filename = '', type = '', signature = '' }) {
      const given = Buffer.from(signature, 'base64url')
      const genuine = [keys.signing, ...(keys.previous ?? [])].some((secret) => {
        const expected = computeSignature(secret, [key, expires, filename, type])
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
      if (!genuine)
        throw new AppError('forbidden', { message: 'This download link is not valid. Ask for a new one.' })
      if (Number(expires) <= Date.now()) {
        throw new AppError('forbidden', { message: 'This download link has expired. Ask for a new one.' })
      }
      return { filename, contentType: type }
    },
  }
}

/** The first field separates these signatures from others made with the same secret. */
function computeSignature(secret: string | Uint8Array, fields: readonly string[]): Buffer {
  return new Bun.CryptoHasher('sha256', secret).update(JSON.stringify(['object-link', ...fields])).digest()
}
