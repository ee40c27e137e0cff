import type { StorePlayer } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import type { SignIn } from './service.ts'
import { readSession } from './sessions.ts'
import { parseToken } from './tokens.ts'

/** The player behind a session token of any game; null unless the token is valid now. */
export async function findStorePlayer(signIn: SignIn, token: string): Promise<StorePlayer | null> {
  const gameUid = parseToken(token)?.payload.gid
  if (typeof gameUid !== 'string' || !isUid(gameUid)) return null
  try {
    const { claims, found } = await readSession(signIn, gameUid, token)
    if (!claims || found.isRevoked || claims.exp <= Date.now() / 1000) return null
    return { kind: 'store_player', gameUid, extstoreId: claims.sub, linkedUserUid: found.userUid }
  } catch (error) {
    if (error instanceof AppError && error.kind === 'sign_in_off') return null
    throw error
  }
}
