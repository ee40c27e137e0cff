import type { StorePlayer } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { isUid } from '../../../lib/ids.ts'
import { listKeysLike, saveKeyHash } from './queries.ts'
import { openLink, requireGame, type SignIn } from './service.ts'
import { loadSession, loadSessionOfBody } from './sessions.ts'
import { parseToken } from './tokens.ts'

/** The format of keys from `createAuthKey`. */
const AUTH_KEY = /^[0-9a-f]{128}$/
/** How many keys without a recorded hash one request decrypts. */
const KEYS_AT_ONCE = 100

/** Finds the link by the key's hash. Older keys have no recorded hash; it is computed and saved here. */
async function isGameKey({ deps, keys }: SignIn, bearer: string): Promise<boolean> {
  if (!AUTH_KEY.test(bearer)) return false
  const hash = sha256Hex(bearer)
  const likely = await listKeysLike(deps.db, hash, KEYS_AT_ONCE)
  const opened = likely.map((row) => ({ ...row, hash: keys.open(row.gameUid, row.authKey).keyHash }))
  for (const row of opened) if (row.authKeyHash === null) await saveKeyHash(deps.db, row)
  return opened.some((row) => row.hash === hash)
}

/** How the credentials of game servers and of their players are looked up. */
export function gameKeySources(signIn: SignIn) {
  const { keys } = signIn
  return {
    // Only uids are looked up in the cache, because a name can move to another listing.
    recallGameKey: (ref: string) => (isUid(ref) ? keys.recall(ref.toLowerCase()) : null),
    async findGameKey(ref: string) {
      const { gameUid, authKey } = await openLink(signIn, ref)
      return keys.open(gameUid, authKey)
    },
    async readGameKey(gameUid: string, body: unknown) {
      return (await loadSessionOfBody(signIn, gameUid, body)).key
    },
    isGameKey: (bearer: string) => isGameKey(signIn, bearer),
    findStorePlayer: (token: string) => findStorePlayer(signIn, token),
    async findGameUid(ref: string) {
      if (isUid(ref)) return ref.toLowerCase()
      return (await requireGame(signIn, ref)).gameUid
    },
  }
}

/** The player behind a session token of any game; null unless the token is valid now. */
async function findStorePlayer(signIn: SignIn, token: string): Promise<StorePlayer | null> {
  const gameUid = parseToken(token)?.payload.gid
  if (typeof gameUid !== 'string' || !isUid(gameUid)) return null
  try {
    const { claims, found } = await loadSession(signIn, gameUid, token)
    if (!claims || found.isRevoked || claims.exp <= Date.now() / 1000) return null
    return { kind: 'store_player', gameUid, extstoreId: claims.sub, linkedUserUid: found.userUid }
  } catch (error) {
    if (error instanceof AppError && error.kind === 'sign_in_off') return null
    throw error
  }
}
