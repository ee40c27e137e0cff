import { createLocalJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose'

import type { Db } from '../../../db/client.ts'
import { isDiskFullError } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, Player } from '../../../domain/actor.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { parseJson } from '../../../lib/json.ts'
import type { AccountCache } from '../account-cache.ts'
import { findLiveToken, listSigningKeys, type LiveToken, touchConsent } from '../oauth/oauth-queries.ts'
import * as queries from '../queries.ts'
import { tokenAudiences, toolsAudience } from '../sign-in/auth-settings.ts'

const TOUCHES_MAX = 10_000
/** `last_used_at` is exact to the minute: in between, using a key costs no write. */
const TOUCH_EVERY_MS = 60_000

/** When a key was used last matters less than the request: a full disk must not stop reads. */
async function saveTouch(touch: Promise<void>): Promise<void> {
  await touch.catch((error: unknown) => {
    if (!isDiskFullError(error)) throw error
  })
}

/** Looks up the credentials of people and tools; the rules that use them are in `http/access/auth.ts`. */
export function createCredentials(deps: Deps, cache: AccountCache) {
  const { db, config } = deps
  const touched = new BoundedCache<true>({ maxEntries: TOUCHES_MAX, lifetimeMs: TOUCH_EVERY_MS })
  const isTouchDue = (uid: string) => {
    if (touched.get(uid)) return false
    touched.set(uid, true)
    return true
  }
  const signingKeys = createSigningKeys(db)

  return {
    async findPlayerByKey(key: string): Promise<Player | null> {
      const hash = sha256Hex(key)
      const player = await cache.load(hash, async () => {
        const row = await queries.findPlayerKeyByHash(db, hash)
        if (!row) return null
        const { uid: keyUid, ...player } = row
        return { kind: 'player', keyUid, ...player }
      })
      if (player?.kind !== 'player') return null
      if (isTouchDue(player.keyUid)) await saveTouch(queries.touchPlayerKey(db, player.keyUid))
      return player
    },

    async findActorByToken(token: string, audience?: 'tools'): Promise<Player | Agent | null> {
      const { jti, aud = [] } = (await verifyAccessToken(token)) ?? {}
      const live = jti === undefined ? undefined : await findLiveToken(db, jti)
      if (!live) return null
      const actor = toActor(live)
      const isForTools = [aud].flat().includes(toolsAudience(config.baseUrl))
      if (audience === 'tools' && actor.kind === 'agent' && !isForTools) return null
      if (isTouchDue(live.consentUid)) await saveTouch(touchConsent(db, live.consentUid))
      return actor
    },

    async findDeployKey(accessToken: string) {
      const row = await queries.findDeployKey(db, accessToken)
      if (!row) return null
      return {
        keyUid: row.uid,
        gameUid: row.gameUid,
        ownerUid: row.ownerUid,
        secretHash: row.secretHash,
        revoked: row.revokedAt !== null,
        suspended: row.suspended,
        expiresAt: row.expiresAt,
        channels: row.channels,
      }
    },
  }

  /**
   * The claims of a token that we signed for our own routes. Only the database knows whether it was revoked.
   */
  async function verifyAccessToken(token: string): Promise<JWTPayload | null> {
    try {
      const options = { issuer: config.mcpAuthUrl, audience: tokenAudiences(config.baseUrl) }
      return (await jwtVerify(token, signingKeys, options)).payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

/** The actor has the scopes that both the token and the current consent include. */
function toActor(token: LiveToken): Player | Agent {
  const { userUid, adultContent, hiddenTags, clientId, tokenId, scopes, consentedScopes } = token
  const person = { userUid, adultContent, hiddenTags }
  const allowed = scopes.filter((scope) => consentedScopes.includes(scope))
  return scopes.some((scope) => scope.startsWith('mcp:'))
    ? { kind: 'agent', ...person, clientId, tokenId, scopes: allowed }
    : { kind: 'player', ...person, scopes: allowed }
}

const FRESH_MS = 60_000

/** Finds the key that signed a token. Keys are cached for a minute; an unknown key id is looked up immediately. */
function createSigningKeys(db: Db): JWTVerifyGetKey {
  const readKeys = memoize(FRESH_MS, async () => {
    const rows = await listSigningKeys(db)
    const keys = rows.map((row) => ({
      ...(parseJson(row.publicKey) as object),
      kid: row.id,
      alg: row.alg ?? 'EdDSA',
    }))
    return createLocalJWKSet({ keys })
  })

  return async (header, token) => {
    const find = await readKeys()
    try {
      return await find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const findAgain = await readKeys.refresh()
      return await findAgain(header, token)
    }
  }
}
