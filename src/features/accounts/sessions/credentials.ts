import { errors, type JWTPayload, jwtVerify } from 'jose'

import { isDiskFullError } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, Player } from '../../../domain/actor.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import type { AccountCache } from '../account-cache.ts'
import { findLiveToken, type LiveToken, touchConsent } from '../oauth/oauth-queries.ts'
import { createSigningKeys } from '../oauth/signing-keys.ts'
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
      const player = await cache.get(hash, async () => {
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

  /** What the token says, if we signed it for ourselves. Whether it was revoked is only known to the database. */
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
