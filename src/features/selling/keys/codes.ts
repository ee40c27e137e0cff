import { sha256Hex } from '../../../lib/bytes/hash.ts'

/** Crockford's base 32: without I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Five random bits each. */
export const CODE_LENGTH = 20
const CODE = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`)

/** `XXXXX-XXXXX-XXXXX-XXXXX` */
export function createCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(CODE_LENGTH))
  const letters = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return (letters.match(/.{5}/g) ?? []).join('-')
}

/** What is stored of a code, however it was typed; null when it cannot be one. */
export function hashCode(typed: string): string | null {
  const code = lettersOf(typed).toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return CODE.test(code) ? sha256Hex(code) : null
}

/** Without what only makes a code easier to read. */
export function lettersOf(typed: string): string {
  return typed.replaceAll(/[\s\p{Pd}]/gu, '')
}
