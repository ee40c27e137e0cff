import { randomBytes } from 'node:crypto'

import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { encodeBase32 } from '../../../lib/totp.ts'

/** 80 random bits: too many to guess from the hash. */
const CODE_BYTES = 10
const HINT_LENGTH = 4

export interface InvitationCode {
  code: string
  hash: string
  hint: string
}

export function createInvitationCode(): InvitationCode {
  const letters = encodeBase32(randomBytes(CODE_BYTES)).toLowerCase()
  const code = (letters.match(/.{4}/g) ?? []).join('-')
  return { code, hash: hashInvitation(code), hint: code.slice(0, HINT_LENGTH) }
}

/** However it was typed. */
export function hashInvitation(code: string): string {
  return sha256Hex(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}
