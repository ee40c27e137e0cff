import { createKeySets, type KeySets } from '../../../clients/issuers/key-sets.ts'
import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { BuildOrigin } from '../../../domain/builds/publishers.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import { insertKey } from '../deploy-keys/shared-queries.ts'
import { type Claims, findMismatch, mismatch, readIds, readOrigin, refuseClaim } from './claims.ts'
import type { PublisherKey, TokenInput } from './model.ts'
import * as queries from './queries.ts'
import { isTrustedIssuer } from './read-publisher.ts'
import { checkToken, type PipelineToken, readUncheckedClaims, refuseToken, TOKEN_AGE_S } from './token.ts'

const KEY_MS = 15 * 60 * 1000
/** A token is remembered longer than it is accepted, whatever the clocks say. */
const REMEMBER_MS = 2 * TOKEN_AGE_S * 1000

/** The keys of issuers are shared by all exchanges of the process. */
export interface Exchange {
  deps: Deps
  keySets: KeySets
}

export function createExchange(deps: Deps): Exchange {
  return { deps, keySets: createKeySets() }
}

/** A pipeline proves by its token who it is, and gets a deploy key for a quarter of an hour. */
export async function exchangeToken(
  { deps, keySets }: Exchange,
  { game, token }: TokenInput,
  /** For those that tell the rate limit. */
  headers: Record<string, string | number>,
): Promise<PublisherKey> {
  const { db, config } = deps
  const gameUid = await queries.findGameUid(db, game.toLowerCase())
  const unchecked = readUncheckedClaims(token)
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
  const origin = readOrigin(publisher, checked.claims)
  return await db.transaction(async (tx) => {
    const used = await takeToken(tx, publisher, checked)
    // Only tokens that are accepted, so that strangers cannot use up what the game's own pipelines need.
    await countRequest(deps.rates, ['upload_token_game'], () => gameUid, headers)
    return await issueKey(tx, used, origin)
  })
}

/** Tells about the publisher that comes closest. */
function requirePublisher<Row extends queries.PublisherRow>(candidates: readonly Row[], claims: Claims): Row {
  const judged = candidates.map((publisher) => ({ publisher, fault: findMismatch(publisher, claims) }))
  const fitting = judged.find(({ fault }) => fault === null)
  if (fitting) return fitting.publisher
  const [closest] = judged.flatMap(({ fault }) => fault ?? []).toSorted((a, b) => b.met - a.met)
  throw closest ? refuseClaim(closest) : noPublisher()
}

async function takeToken(
  tx: Transaction,
  { uid, issuer, provider }: queries.PublisherRow,
  { claims, jti, issuedAt }: PipelineToken,
): Promise<queries.PublisherRow> {
  const publisher = await queries.usePublisher(tx, uid, readIds({ provider }, claims))
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

/** The same for a game that does not exist, so that nobody finds hidden ones by it. */
function noPublisher() {
  return refuseToken(
    'No trusted publisher of this game fits. Check the name of the game, and add the publisher in its Pipelines tab.',
  )
}
