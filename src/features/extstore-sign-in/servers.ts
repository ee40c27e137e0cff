import type { Transaction } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import type { GameServer } from '../../lib/actor.ts'
import { isUid } from '../../lib/ids.ts'
import type { GameKey } from './game-keys.ts'
import {
  type Ownership,
  REFRESH_SECONDS,
  type RevokeBody,
  type Revoked,
  type Verified,
  type VerifyBody,
} from './model.ts'
import * as queries from './queries.ts'
import { requireOn, type SignIn } from './service.ts'
import { readSession } from './sessions.ts'
import { checkOwnership, requireExtstoreId } from './store.ts'

export async function verifyToken(
  signIn: SignIn,
  server: GameServer,
  { token, recheck_ownership: recheck = false }: VerifyBody,
): Promise<Verified> {
  const { found, key, game, claims } = await readSession(signIn, server.gameUid, token)
  confirmKey(server, key)
  if (!claims) throw new AppError('session_token_foreign')
  const expired = claims.exp <= Date.now() / 1000
  const { userUid, username, isRevoked: revoked } = found
  return {
    valid: !expired && !revoked,
    expired,
    revoked,
    claims,
    ...(userUid === null ? {} : { svc_user: { uid: userUid, username: username ?? '' } }),
    ...(recheck ? { ownership: await checkOwnership(signIn, game, claims.sub) } : {}),
  }
}

/** Counts what was still valid. Tokens that expired less than a day ago cannot be refreshed any more either. */
export async function revokeTokens(signIn: SignIn, server: GameServer, body: RevokeBody): Promise<Revoked> {
  const { jti, extstore_id: extstoreId } = body
  if (jti !== undefined && extstoreId === undefined) {
    return await endTokens(signIn, server, async (tx, now) => {
      const expiresAt = isUid(jti) ? await queries.endSession(tx, server.gameUid, jti) : undefined
      return expiresAt !== undefined && expiresAt > now ? 1 : 0
    })
  }
  if (extstoreId !== undefined && jti === undefined) {
    requireExtstoreId(extstoreId)
    return await endTokens(signIn, server, async (tx, now) => {
      const refreshableSince = new Date(now.getTime() - REFRESH_SECONDS * 1000)
      return await queries.endPlayer(tx, server.gameUid, extstoreId, { now, refreshableSince })
    })
  }
  throw new AppError('store_input_invalid', {
    message: 'Send either jti for one token or extstore_id for every token of a player.',
  })
}

export async function readOwnership(
  signIn: SignIn,
  server: GameServer,
  extstoreId: string,
): Promise<Ownership> {
  requireExtstoreId(extstoreId)
  const link = requireOn(await queries.findGameLink(signIn.deps.db, server.gameUid))
  confirmKey(server, signIn.keys.open(link.gameUid, link.authKey))
  return await checkOwnership(signIn, link, extstoreId)
}

/** No token is issued meanwhile, so that each is either ended or was issued afterwards. */
async function endTokens(
  { deps, keys }: SignIn,
  server: GameServer,
  end: (tx: Transaction, now: Date) => Promise<number>,
): Promise<Revoked> {
  return await deps.db.transaction(async (tx) => {
    const link = requireOn(await queries.lockLink(tx, server.gameUid, 'no key update'))
    confirmKey(server, keys.open(link.gameUid, link.authKey))
    return { revoked: await end(tx, new Date()) }
  })
}

/** The server was admitted with a key seen earlier; this is the one that counts now. */
function confirmKey(server: GameServer, current: GameKey): void {
  if (server.keyHash !== current.keyHash) throw new AppError('game_auth_key_invalid')
}
