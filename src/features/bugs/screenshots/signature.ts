import { equalsConstantTime } from '../../../lib/bytes/hash.ts'

/** Base64 HMAC-SHA1 over five lines: the method, two empty ones, the expiry in Unix seconds, and the path. */
export function signPath(signingKey: string, path: string, expires: string): string {
  const lines = ['GET', '', '', expires, path].join('\n')
  return new Bun.CryptoHasher('sha1', signingKey).update(lines).digest('base64')
}

export interface SignedQuery {
  Expires?: string | undefined
  Signature?: string | undefined
}

/** The signature is compared before the expiry is looked at, and in constant time. */
export function isGenuine(
  signingKey: string,
  path: string,
  { Expires = '', Signature = '' }: SignedQuery,
): boolean {
  return /^\d{1,12}$/.test(Expires) && equalsConstantTime(signPath(signingKey, path, Expires), Signature)
}
