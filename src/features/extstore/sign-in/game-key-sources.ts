import { isUid } from '../../../lib/ids.ts'
import { openLink, requireGame, type SignIn } from './service.ts'
import { readSessionOfBody } from './sessions.ts'
import { findStorePlayer } from './store-players.ts'

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
    findStorePlayer: (token: string) => findStorePlayer(signIn, token),
    async findGameUid(ref: string) {
      if (isUid(ref)) return ref.toLowerCase()
      return (await requireGame(signIn, ref)).gameUid
    },
  }
}
