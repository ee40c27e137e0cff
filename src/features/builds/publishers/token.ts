import { compactVerify, decodeProtectedHeader, errors } from 'jose'

import type { KeySet, KeySets } from '../../../clients/issuers/key-sets.ts'
import { OutsideFailure } from '../../../clients/outside/outside-failure.ts'
import { AppError } from '../../../errors.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { parseJsonOrNull } from '../../../lib/json.ts'
import { type Claims, mismatch, refuseClaim } from './claims.ts'

/** None of them lets a published key forge a token. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
/** How old a token may be. */
export const TOKEN_AGE_S = 10 * 60
/** How far the clock of an issuer may be ahead of ours. */
const CLOCK_SKEW_S = 5
const JTI_MAX = 512
const KEY_ID_MAX = 512

export interface PipelineToken {
  claims: Claims
  jti: string
  issuedAt: Date
}

/** The claims as the token has them, before anything is checked. */
export function readUncheckedClaims(token: string): Claims {
  const claims = readPart(token.split('.')[1] ?? '')
  if (token.split('.').length === 3 && claims) return claims
  throw refuseToken('The token is not a JSON Web Token. Send what the provider of the pipeline issued.')
}

/** Checks who signed it, for whom and when. `issuer` is one whose keys may be asked for. */
export async function checkToken(
  keySets: KeySets,
  token: string,
  { issuer, audience, now = Date.now() }: { issuer: string; audience: string; now?: number },
): Promise<PipelineToken> {
  const claims = await verifySignature(keySets, token, issuer)
  if (claims.iss !== issuer) throw refuseClaim(mismatch('iss', `"${issuer}"`, claims.iss))
  if (!isAudience(claims.aud, audience)) throw refuseClaim(mismatch('aud', `"${audience}"`, claims.aud))
  const seconds = now / 1000
  const { exp, iat, nbf = 0, jti } = claims
  if (typeof exp !== 'number' || !(exp > seconds))
    throw refuseClaim(mismatch('exp', `a time after ${timeText(seconds)}`, timeOf(exp)))
  if (typeof nbf !== 'number' || !(nbf <= seconds + CLOCK_SKEW_S))
    throw refuseClaim(mismatch('nbf', `a time before ${timeText(seconds)}`, timeOf(nbf)))
  if (typeof iat !== 'number' || !(iat <= seconds + CLOCK_SKEW_S) || !(iat >= seconds - TOKEN_AGE_S)) {
    const [from, to] = [timeText(seconds - TOKEN_AGE_S), timeText(seconds)]
    throw refuseClaim(mismatch('iat', `a time between ${from} and ${to}`, timeOf(iat)))
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_MAX)
    throw refuseClaim(mismatch('jti', `an id of 1 to ${JTI_MAX} characters`, jti))
  return { claims, jti, issuedAt: new Date(iat * 1000) }
}

async function verifySignature(keySets: KeySets, token: string, issuer: string): Promise<Claims> {
  const { alg, kid } = readHeader(token)
  if (!ALGORITHMS.some((known) => known === alg))
    throw refuseClaim(mismatch('alg', `one of ${ALGORITHMS.join(', ')}`, alg))
  if (typeof kid !== 'string' || kid === '' || kid.length > KEY_ID_MAX)
    throw refuseClaim(mismatch('kid', `the id of a key that ${issuer} publishes`, kid))
  const keys = await findKeys(keySets, issuer, kid)
  try {
    const { payload } = await compactVerify(token, keys, { algorithms: [...ALGORITHMS] })
    const claims = parseObject(new TextDecoder().decode(payload))
    if (claims) return claims
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
      throw refuseClaim(mismatch('kid', `the id of a key for ${String(alg)} that ${issuer} publishes`, kid))
    if (!(error instanceof errors.JOSEError || error instanceof TypeError || isCryptoError(error)))
      throw error
  }
  throw refuseToken(`The signature of the token was not made with the key that ${issuer} publishes.`)
}

async function findKeys(keySets: KeySets, issuer: string, kid: string): Promise<KeySet> {
  try {
    return await keySets.find(issuer, kid)
  } catch (error) {
    if (!(error instanceof OutsideFailure)) throw error
    throw refuseToken(
      `The keys of ${issuer} (iss) could not be read, so that the token cannot be checked. ${error.message} Try again in a minute.`,
    )
  }
}

function readHeader(token: string): { alg?: unknown; kid?: unknown } {
  try {
    return decodeProtectedHeader(token)
  } catch {
    throw refuseToken(
      'The header of the token cannot be read. Send what the provider of the pipeline issued.',
    )
  }
}

function readPart(part: string): Claims | null {
  return parseObject(Buffer.from(part, 'base64url').toString())
}

function parseObject(text: string): Claims | null {
  const value = parseJsonOrNull(text)
  return isObject(value) ? value : null
}

/** A key that is published, but unusable. */
function isCryptoError(error: unknown): boolean {
  return error instanceof DOMException
}

function isAudience(given: unknown, audience: string): boolean {
  return given === audience || (Array.isArray(given) && given.length === 1 && given[0] === audience)
}

function timeText(seconds: number): string {
  return new Date(Math.round(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}

/** A time in words, if it is one. */
function timeOf(seconds: unknown): unknown {
  const isTime = typeof seconds === 'number' && Math.abs(seconds) < 8.64e12
  return isTime ? timeText(seconds) : seconds
}

export function refuseToken(message: string): AppError {
  return new AppError('pipeline_token_refused', { message })
}
