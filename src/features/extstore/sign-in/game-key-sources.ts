import type { CredentialSources } from '../../../http/credentials.ts'
import { isUid } from '../../../lib/ids.ts'
import { openLink, requireGame, type SignIn } from './service.ts'
import { readSessionOfBody } from './sessions.ts'

type GameKeySources = Pick<CredentialSources, 'recallGameKey' | 'findGameKey' | 'readGameKey' | 'findGameUid'>

/** How the credential of a game server is looked up. */
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
    async findGameUid(ref) {
      if (isUid(ref)) return ref.toLowerCase()
      return (await requireGame(signIn, ref)).gameUid
    },
  }
}
