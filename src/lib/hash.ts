import { timingSafeEqual } from 'node:crypto'

export function sha256Hex(value: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(value).digest('hex')
}

/** Compares without telling by its time where two texts differ. */
export function equalsConstantTime(a: string, b: string): boolean {
  const [left, right] = [sha256(a), sha256(b)]
  return timingSafeEqual(left, right)
}

function sha256(value: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(value).digest()
}
