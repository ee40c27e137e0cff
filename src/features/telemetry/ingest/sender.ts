import { isInsideAddress } from '../../../clients/outside/inside-addresses.ts'
import type { Db } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Keyring } from '../../../lib/keyring.ts'
import { networkOf } from '../../../lib/net/addresses.ts'
import { findBuildOfGame } from './queries.ts'

/** The build that sends. */
interface SendingGame {
  gameUid: string
  buildUid: string
  version: string
}

export interface Sender extends SendingGame {
  /** A keyed hash of the sender's network. */
  network: string
}

type FindSender = (appId: string | null, buildId: string | null) => Promise<SendingGame>

const MAX_BUILDS = 10_000
const POSITIVE_BITS = 63

/**
 * Builds never move to another game, so a cached result stays correct. Writers notice deleted builds, because
 * they lock the row.
 */
export function createSenderFinder(db: Db): FindSender {
  const known = new BoundedCache<SendingGame>({ maxEntries: MAX_BUILDS })
  return async (appId, buildId) => {
    if (appId === null || buildId === null || !isUid(buildId)) throw notAGame()
    const key = `${appId} ${buildId}`
    const found = known.get(key) ?? (await findBuildOfGame(db, appId, buildId))
    if (!found) throw notAGame()
    // Only uids are cached, because a name can move to another game.
    if (isUid(appId)) known.set(key, found)
    return found
  }
}

export function notAGame(): AppError {
  return new AppError('not_a_game', {
    message: 'Send the uid of the game as X-App-Id and the build_id of one of its builds as X-Build-Id.',
  })
}

type HashNetwork = (gameUid: string, address: string) => string

/**
 * A number for the sender's network that is meaningless without SECRET_KEY and differs for every game.
 * Negative for addresses that are not on the internet.
 */
export function createNetworkHash(keyring: Keyring): HashNetwork {
  const [key = ''] = keyring.derive('networks of senders')
  return (gameUid, address) => {
    const digest = new Bun.CryptoHasher('sha256', key).update(`${gameUid} ${networkOf(address)}`).digest()
    const number = BigInt.asUintN(POSITIVE_BITS, digest.readBigUInt64BE()) || 1n
    return String(isInsideAddress(address) ? -number : number)
  }
}
