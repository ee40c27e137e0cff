import { SignJWT } from 'jose'

import { equalsConstantTime } from '../../../lib/hash.ts'
import { parseJson } from '../../../lib/json.ts'
import type { Claims } from './model.ts'

const HEADER = { alg: 'HS512', typ: 'JWT' }
/** Every token of ours begins with this text. One that names another algorithm, or anything besides, is none of ours. */
const HEADER_PART = encode(JSON.stringify(HEADER))

/** What a token must say to be one of this game. */
export interface TokenHome {
  issuer: string
  appId: number
  gameUid: string
}

export const audienceOf = (appId: number) => `extstore:${appId}`

/** The key is the text as it is shown, not the bytes its hex stands for. */
export async function signToken(authKey: string, claims: Claims): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader(HEADER).sign(Buffer.from(authKey))
}

/** A token taken apart; nothing of it is proven. */
export interface UnprovenToken {
  signed: string
  signature: string
  payload: Payload
}

/** null for what cannot be one of ours, whatever it is signed with. */
export function parseToken(token: string): UnprovenToken | null {
  const [header = '', body = '', signature = '', ...more] = token.split('.')
  if (header !== HEADER_PART || more.length > 0) return null
  const payload = decode(body)
  return payload && { signed: `${header}.${body}`, signature, payload }
}

/** null: not signed with this key, or not for this game. Whether it has expired is for the caller to judge. */
export function proveToken(authKey: string, token: UnprovenToken, home: TokenHome): Claims | null {
  const expected = new Bun.CryptoHasher('sha512', authKey).update(token.signed).digest('base64url')
  return equalsConstantTime(token.signature, expected) ? readClaims(token.payload, home) : null
}

type Payload = Partial<Record<keyof Claims, unknown>>

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** null for what is no JSON object. */
function decode(part: string): Payload | null {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

function readClaims(payload: Payload, home: TokenHome): Claims | null {
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
