import { timingSafeEqual } from 'node:crypto'

export function sha256Hex(value: string | Uint8Array): string {
  return Bun.SHA256.hash(value, 'hex')
}

/** The hash under which tokens, codes and mailed links are stored. */
export function hashToken(token: string): string {
  return Bun.SHA256.hash(token, 'base64url')
}

/** Compares in constant time, so that the duration does not reveal where two texts differ. */
export function equalsConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(Bun.SHA256.hash(a), Bun.SHA256.hash(b))
}
