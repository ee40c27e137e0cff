import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { isUid } from '../../../lib/ids.ts'
import { listKeysLike, saveKeyHash } from './queries.ts'
import { openLink, requireGame, type SignIn } from './service.ts'
import { readSessionOfBody } from './sessions.ts'
import { findStorePlayer } from './store-players.ts'

/** As `createAuthKey` makes them. */
const AUTH_KEY = /^[0-9a-f]{128}$/
/** Of those whose hash is not recorded yet. */
const KEYS_AT_ONCE = 100

/** Keys that were made before their hashes were recorded get them here. */
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
      return (await readSessionOfBody(signIn, gameUid, body)).key
    },
    isGameKey: (bearer: string) => isGameKey(signIn, bearer),
    findStorePlayer: (token: string) => findStorePlayer(signIn, token),
    async findGameUid(ref: string) {
      if (isUid(ref)) return ref.toLowerCase()
      return (await requireGame(signIn, ref)).gameUid
    },
  }
}
