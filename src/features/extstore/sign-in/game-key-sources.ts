import type { CredentialSources } from '../../../http/access/credentials.ts'
import { isUid } from '../../../lib/ids.ts'
import { openLink, requireGame, type SignIn } from './service.ts'
import { readSessionOfBody } from './sessions.ts'
import { findStorePlayer } from './store-players.ts'

type GameKeySources = Pick<
  CredentialSources,
  'recallGameKey' | 'findGameKey' | 'readGameKey' | 'findGameUid' | 'findStorePlayer'
>

/** How the credentials of game servers and of their players are looked up. */
export function gameKeySources(signIn: SignIn): GameKeySources {
  const { keys } = signIn
  return {
    // Only uids are looked up in the cache, because a name can move to another listing.
    recallGameKey: (ref) => (isUid(ref) ? keys.recall(ref.toLowerCase()) : null),
    async findGameKey(ref) {
      const { gameUid, authKey } = await openLink(signIn, ref)
      return keys.open(gameUid, authKey)
    },
    async readGameKey(gameUid, body) {
      return (await readSessionOfBody(signIn, gameUid, body)).key
    },
    findStorePlayer: (token) => findStorePlayer(signIn, token),
    async findGameUid(ref) {
      if (isUid(ref)) return ref.toLowerCase()
      return (await requireGame(signIn, ref)).gameUid
    },
  }
}
