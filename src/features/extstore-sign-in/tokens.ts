import { compactVerify, decodeJwt, errors, SignJWT } from 'jose'

import type { Claims } from './model.ts'

const ALGORITHM = 'HS512'
const TYPE = 'JWT'

/** What a token must say to be one of this game. */
export interface TokenHome {
  issuer: string
  appId: number
  gameUid: string
}

export const audienceOf = (appId: number) => `extstore:${appId}`

/** The key is the text as it is shown, not the bytes its hex stands for. */
export async function importSigningKey(authKey: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-512' }
  return await crypto.subtle.importKey('raw', Buffer.from(authKey), algorithm, false, ['sign', 'verify'])
}

export async function signToken(key: CryptoKey, claims: Claims): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: TYPE }).sign(key)
}

/** null: not signed with this key, or not for this game. Whether it has expired is for the caller to judge. */
export async function readToken(key: CryptoKey, token: string, home: TokenHome): Promise<Claims | null> {
  try {
    const { payload, protectedHeader } = await compactVerify(token, key, { algorithms: [ALGORITHM] })
    return protectedHeader.typ === TYPE ? readClaims(JSON.parse(Buffer.from(payload).toString()), home) : null
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return null
    throw error
  }
}

/** What the token claims to be called, before anything is checked. */
export function peekJti(token: string): string | null {
  try {
    const { jti } = decodeJwt(token)
    return typeof jti === 'string' ? jti : null
  } catch {
    return null
  }
}

function readClaims(payload: Partial<Record<keyof Claims, unknown>> | null, home: TokenHome): Claims | null {
  const { iss, aud, gid, sub, osid, own, vac, buid, jti, iat, exp } = payload ?? {}
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
