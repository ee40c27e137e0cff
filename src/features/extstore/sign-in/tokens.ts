import { SignJWT } from 'jose'

import { equalsConstantTime } from '../../../lib/bytes/hash.ts'
import { parseJsonOrNull } from '../../../lib/json.ts'
import type { Claims } from './model.ts'

const HEADER = { alg: 'HS512', typ: 'JWT' }
/** The exact header of our tokens. A token with another algorithm or additional fields is not ours. */
const HEADER_PART = encode(JSON.stringify(HEADER))

/** The claims that make it a token of this game. */
interface TokenHome {
  issuer: string
  appId: number
  gameUid: string
}

export const audienceOf = (appId: number) => `extstore:${appId}`

/** The key is the hex text itself, not the bytes it encodes. */
export async function signToken(authKey: string, claims: Claims): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader(HEADER).sign(Buffer.from(authKey))
}

/** A parsed token whose signature has not been verified. */
interface ParsedToken {
  signed: string
  signature: string
  payload: Payload
}

/** null for anything that cannot be one of our tokens. */
export function parseToken(token: string): ParsedToken | null {
  const [header = '', body = '', signature = '', ...more] = token.split('.')
  if (header !== HEADER_PART || more.length > 0) return null
  const payload = decode(body)
  return payload && { signed: `${header}.${body}`, signature, payload }
}

/** null if it is not signed with this key or not for this game. The caller has to check the expiry. */
export function verifyParsedToken(authKey: string, token: ParsedToken, home: TokenHome): Claims | null {
  const expected = new Bun.CryptoHasher('sha512', authKey).update(token.signed).digest('base64url')
  return equalsConstantTime(token.signature, expected) ? parseClaims(token.payload, home) : null
}

type Payload = Partial<Record<keyof Claims, unknown>>

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** null unless it is a JSON object. */
function decode(part: string): Payload | null {
  const value = parseJsonOrNull(Buffer.from(part, 'base64url').toString())
  return typeof value === 'object' ? value : null
}

function parseClaims(payload: Payload, home: TokenHome): Claims | null {
  const { iss, aud, gid, sub, osid, own, vac, buid, jti, iat, exp } = payload
  if (iss !== home.issuer || aud !== audienceOf(home.appId) || gid !== home.gameUid || own !== true)
    return null
  if (typeof sub !== 'string' || typeof vac !== 'boolean' || typeof jti !== 'string') return null
  if (!isWhole(iat) || !isWhole(exp)) return null
  return {
    iss: home.issuer,
    aud: audienceOf(home.appId),
    gid: home.gameUid,
    sub,
    ...(typeof osid === 'string' ? { osid } : {}),
    own,
    vac,
    ...(typeof buid === 'string' ? { buid } : {}),
    jti,
    iat,
    exp,
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
