import { compactVerify, decodeProtectedHeader, errors } from 'jose'

import { createKeySets, type KeySet, type KeySets } from '../../../clients/issuers/key-sets.ts'
import { OutsideFailure } from '../../../clients/outside/fetch-outside.ts'
import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { BuildOrigin } from '../../../domain/builds/publishers.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { createSecret } from '../../../lib/ids.ts'
import { parseJsonOrNull } from '../../../lib/json.ts'
import { insertKey } from '../deploy-keys/shared-queries.ts'
import { type Claims, findMismatch, mismatch, parseIds, parseOrigin, refuseClaim } from './claims.ts'
import type { PublisherKey, TokenInput } from './model.ts'
import * as queries from './queries.ts'
import { isTrustedIssuer } from './service.ts'

/** How old a token may be. */
const TOKEN_AGE_S = 10 * 60
/** How far the clock of an issuer may be ahead of ours. */
const CLOCK_SKEW_S = 5
const KEY_MS = 15 * 60 * 1000
/** Used tokens are remembered longer than they are accepted, even if clocks differ. */
const REMEMBER_MS = 2 * TOKEN_AGE_S * 1000

/** The keys of issuers are shared by all exchanges of the process. */
export interface Exchange {
  deps: Deps
  keySets: KeySets
}

export function createExchange(deps: Deps): Exchange {
  return { deps, keySets: createKeySets() }
}

/** Verifies the identity token of a pipeline and issues a deploy key for a quarter of an hour. */
export async function exchangeToken(
  { deps, keySets }: Exchange,
  { game, token }: TokenInput,
  /** Receives the headers that describe the rate limit. */
  headers: Record<string, string | number>,
): Promise<PublisherKey> {
  const { db, config } = deps
  const gameUid = await queries.findGameUid(db, game.toLowerCase())
  const unchecked = parseUncheckedClaims(token)
  const all = gameUid === undefined ? [] : await queries.listPublishers(db, gameUid)
  const trusted = all.filter((publisher) => isTrustedIssuer(config, publisher) && !publisher.isOrphaned)
  if (gameUid === undefined || trusted.length === 0) throw noPublisher()
  const issuers = [...new Set(trusted.map(({ issuer }) => issuer))]
  const issuer = issuers.find((known) => known === unchecked.iss)
  if (issuer === undefined) {
    const expected = issuers.map((known) => `"${known}"`).join(' or ')
    throw refuseClaim(mismatch('iss', expected, unchecked.iss))
  }
  const checked = await checkToken(keySets, token, { issuer, audience: config.baseUrl })
  const candidates = trusted.filter((publisher) => publisher.issuer === issuer)
  const publisher = requirePublisher(candidates, checked.claims)
  const origin = parseOrigin(publisher, checked.claims)
  return await db.transaction(async (tx) => {
    const used = await consumeToken(tx, publisher, checked)
    // Counts only accepted tokens, so that strangers cannot use up the limit of the game's own pipelines.
    await countRequest(deps.rates, ['upload_token_game'], () => gameUid, headers)
    return await issueKey(tx, used, origin)
  })
}

/** Returns the publisher that matches; the error names what the closest one requires. */
function requirePublisher<Row extends queries.PublisherRow>(candidates: readonly Row[], claims: Claims): Row {
  const judged = candidates.map((publisher) => ({ publisher, fault: findMismatch(publisher, claims) }))
  const fitting = judged.find(({ fault }) => fault === null)
  if (fitting) return fitting.publisher
  const [closest] = judged.flatMap(({ fault }) => fault ?? []).toSorted((a, b) => b.met - a.met)
  throw closest ? refuseClaim(closest) : noPublisher()
}

async function consumeToken(
  tx: Transaction,
  { uid, issuer, provider }: queries.PublisherRow,
  { claims, jti, issuedAt }: PipelineToken,
): Promise<queries.PublisherRow> {
  const publisher = await queries.usePublisher(tx, uid, parseIds({ provider }, claims))
  if (!publisher) throw noPublisher()
  // Another first exchange may have recorded other ids meanwhile.
  requirePublisher([publisher], claims)
  const rememberUntil = new Date(issuedAt.getTime() + REMEMBER_MS)
  if (!(await queries.markTokenUsed(tx, sha256Hex(`${issuer}\n${jti}`), rememberUntil)))
    throw refuseClaim({ claim: 'jti', expected: 'a token that was not used before', got: 'one that was' })
  return publisher
}

async function issueKey(
  tx: Transaction,
  { uid, gameUid, channels, addedBy }: queries.PublisherRow,
  origin: BuildOrigin,
): Promise<PublisherKey> {
  const pair = { access_token: createSecret(), secret_key: createSecret() }
  const expiresAt = new Date(Date.now() + KEY_MS)
  await insertKey(tx, {
    gameUid,
    channels,
    origin,
    expiresAt,
    publisherUid: uid,
    issuedBy: addedBy,
    accessToken: pair.access_token,
    secretHash: sha256Hex(pair.secret_key),
  })
  return { ...pair, expires_at: expiresAt.toISOString(), channels }
}

/** A game that does not exist gets the same error, so that it does not reveal hidden games. */
function noPublisher() {
  return refuseToken(
    'No trusted publisher of this game fits. Check the name of the game, and add the publisher in its Pipelines tab.',
  )
}

/** Only asymmetric algorithms: a published key cannot be used to forge a token. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
const JTI_MAX = 512
const KEY_ID_MAX = 512

interface PipelineToken {
  claims: Claims
  jti: string
  issuedAt: Date
}

/** Reads the claims before the token is verified. */
function parseUncheckedClaims(token: string): Claims {
  const claims = parsePart(token.split('.')[1] ?? '')
  if (token.split('.').length === 3 && claims) return claims
  throw refuseToken('The token is not a JSON Web Token. Send what the provider of the pipeline issued.')
}

/** Checks who signed it, for whom and when. Keys are fetched from `issuer`, which must be a trusted one. */
async function checkToken(
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
  const { alg, kid } = parseHeader(token)
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

function parseHeader(token: string): { alg?: unknown; kid?: unknown } {
  try {
    return decodeProtectedHeader(token)
  } catch {
    throw refuseToken(
      'The header of the token cannot be read. Send what the provider of the pipeline issued.',
    )
  }
}

function parsePart(part: string): Claims | null {
  return parseObject(Buffer.from(part, 'base64url').toString())
}

function parseObject(text: string): Claims | null {
  const value = parseJsonOrNull(text)
  return isObject(value) ? value : null
}

/** The error of a published key that cannot be used. */
function isCryptoError(error: unknown): boolean {
  return error instanceof DOMException
}

function isAudience(given: unknown, audience: string): boolean {
  return given === audience || (Array.isArray(given) && given.length === 1 && given[0] === audience)
}

function timeText(seconds: number): string {
  return new Date(Math.round(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}

/** Formats a valid time as text and returns anything else unchanged. */
function timeOf(seconds: unknown): unknown {
  const isTime = typeof seconds === 'number' && Math.abs(seconds) < 8.64e12
  return isTime ? timeText(seconds) : seconds
}

function refuseToken(message: string): AppError {
  return new AppError('pipeline_token_refused', { message })
}
