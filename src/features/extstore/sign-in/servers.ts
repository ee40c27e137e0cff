import type { Transaction } from '../../../db/client.ts'
import type { GameServer } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import {
  type Ownership,
  REFRESH_SECONDS,
  type RevokeBody,
  type Revoked,
  type Verified,
  type VerifyBody,
} from './model.ts'
import * as queries from './queries.ts'
import { checkOwnership, requireExtstoreId, requireOn, type SignIn } from './service.ts'
import { loadSessionOfBody } from './sessions.ts'

export async function verifyToken(signIn: SignIn, server: GameServer, body: VerifyBody): Promise<Verified> {
  const { found, game, claims } = await loadSessionOfBody(signIn, server.gameUid, body)
  if (!claims) throw new AppError('session_token_foreign')
  const expired = claims.exp <= Date.now() / 1000
  const { userUid, username, isRevoked: revoked } = found
  return {
    valid: !expired && !revoked,
    expired,
    revoked,
    claims,
    ...(userUid === null ? {} : { svc_user: { uid: userUid, username: username ?? '' } }),
    ...(body.recheck_ownership ? { ownership: await checkOwnership(signIn, game, claims.sub) } : {}),
  }
}

/** Counts the tokens that were valid. Tokens that expired less than a day ago can no longer be refreshed. */
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

export async function loadOwnership(
  signIn: SignIn,
  server: GameServer,
  extstoreId: string,
): Promise<Ownership> {
  requireExtstoreId(extstoreId)
  const link = requireOn(await queries.findGameLink(signIn.deps.db, server.gameUid))
  return await checkOwnership(signIn, link, extstoreId)
}

/** Holds the exclusive lock: a token is either revoked here or issued afterwards. */
async function endTokens(
  { deps }: SignIn,
  server: GameServer,
  end: (tx: Transaction, now: Date) => Promise<number>,
): Promise<Revoked> {
  return await deps.db.transaction(async (tx) => {
    requireOn(await queries.lockLink(tx, server.gameUid, 'no key update'))
    return { revoked: await end(tx, new Date()) }
  })
}
