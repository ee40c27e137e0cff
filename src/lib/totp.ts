import { createHmac, randomBytes } from 'node:crypto'

import { equalsConstantTime } from './bytes/hash.ts'

const STEP_SECONDS = 30
const DIGITS = 6
const SECRET_BYTES = 20
/** Clocks may be off by this many steps. */
const SKEW = 1
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A shared secret in base32, the form that authenticator apps accept. */
export function createTotpSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES))
}

/** The code of a time step (RFC 6238, with SHA-1 as every app has it). */
export function makeCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  const number = digest.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export function stepAt(now: number): number {
  return Math.floor(now / 1000 / STEP_SECONDS)
}

/** The time step that the code belongs to; null if it matches none within the tolerance. */
export function findStep(secret: string, code: string, now: number): number | null {
  const current = stepAt(now)
  const steps = Array.from({ length: 2 * SKEW + 1 }, (_, index) => current - SKEW + index)
  return steps.findLast((step) => equalsConstantTime(makeCode(secret, step), code)) ?? null
}

/** The address that the QR code encodes. */
export function totpAddress(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const query = new URLSearchParams({ secret, issuer, digits: `${DIGITS}`, period: `${STEP_SECONDS}` })
  return `otpauth://totp/${label}?${query.toString()}`
}

export function encodeBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
