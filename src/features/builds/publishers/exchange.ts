import { createKeySets, type KeySets } from '../../../clients/issuers/key-sets.ts'
import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { BuildOrigin } from '../../../domain/builds/publishers.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import { insertKey } from '../deploy-keys/shared-queries.ts'
import { type Claims, findMismatch, mismatch, readOrigin, refuseClaim } from './claims.ts'
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

interface Sender {
  address: string
  /** For the headers that tell the rate limit. */
  headers: Record<string, string | number>
}

/** A pipeline proves by its token who it is, and gets a deploy key for a quarter of an hour. */
export async function exchangeToken(
  { deps, keySets }: Exchange,
  { game, token }: TokenInput,
  sender: Sender,
): Promise<PublisherKey> {
  const { db, config } = deps
  const ref = game.toLowerCase()
  const gameUid = await queries.findGameUid(db, ref)
  // Per address, so that strangers cannot use up what the game's own pipelines need.
  await count(deps, `${gameUid ?? sha256Hex(ref)} ${sender.address}`, sender)
  const unchecked = readUncheckedClaims(token)
  const all = gameUid === undefined ? [] : await queries.listPublishers(db, gameUid)
  const trusted = all.filter((publisher) => isTrustedIssuer(config, publisher))
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
  await count(deps, gameUid, sender)
  return await db.transaction((tx) => issueKey(tx, publisher, origin, checked))
}

async function count({ rates }: Deps, subject: string, { headers }: Sender): Promise<void> {
  await countRequest(rates, ['upload_token_game'], () => subject, headers)
}

/** Tells about the publisher that comes closest. */
function requirePublisher<Row extends queries.PublisherRow>(candidates: readonly Row[], claims: Claims): Row {
  const judged = candidates.map((publisher) => ({ publisher, fault: findMismatch(publisher, claims) }))
  const fitting = judged.find(({ fault }) => fault === null)
  if (fitting) return fitting.publisher
  const [closest] = judged.flatMap(({ fault }) => fault ?? []).toSorted((a, b) => b.met - a.met)
  throw closest ? refuseClaim(closest) : noPublisher()
}

async function issueKey(
  tx: Transaction,
  { uid, issuer }: queries.PublisherRow,
  origin: BuildOrigin,
  { jti, issuedAt }: PipelineToken,
): Promise<PublisherKey> {
  const publisher = await queries.usePublisher(tx, uid)
  if (!publisher) throw noPublisher()
  const rememberUntil = new Date(issuedAt.getTime() + REMEMBER_MS)
  if (!(await queries.markTokenUsed(tx, sha256Hex(`${issuer}\n${jti}`), rememberUntil)))
    throw refuseClaim({ claim: 'jti', expected: 'a token that was not used before', got: 'one that was' })
  const pair = { access_token: createSecret(), secret_key: createSecret() }
  const expiresAt = new Date(Date.now() + KEY_MS)
  const { gameUid, channels, addedBy } = publisher
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
    'No trusted publisher of this game fits. Check the name of the game, and add the publisher in its Publishing tab.',
  )
}
