import { timingSafeEqual } from 'node:crypto'

export function sha256Hex(value: string | Uint8Array): string {
  return Bun.SHA256.hash(value, 'hex')
}

/** The hash under which tokens, codes and mailed links are stored. */
export function hashToken(token: string): string {
  return Bun.SHA256.hash(token, 'base64url')
}

const encoder = new TextEncoder()

/** The duration does not reveal where two texts differ, only whether they are equally long. */
export function equalsConstantTime(a: string, b: string): boolean {
  const [one, other] = [encoder.encode(a), encoder.encode(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
