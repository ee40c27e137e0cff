import type { Db } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { isUid } from '../../../lib/ids.ts'
import { findBuildOfGame } from './queries.ts'

/** The build that sends. */
export interface SendingGame {
  gameUid: string
  buildUid: string
  version: string
}

export interface Sender extends SendingGame {
  /** A keyed hash of the sender's network. */
  network: string
}

export type FindSender = (appId: string | null, buildId: string | null) => Promise<SendingGame>

const MAX_BUILDS = 10_000

/**
 * Builds never move to another game, so a cached result stays correct. Writers notice deleted builds, because they
 * lock the row.
 */
export function createSenderFinder(db: Db): FindSender {
  const known = new BoundedCache<SendingGame>({ maxEntries: MAX_BUILDS })
  return async (appId, buildId) => {
    if (appId === null || buildId === null || !isUid(buildId)) throw notAGame()
    const key = `${appId} ${buildId}`
    const found = known.get(key) ?? (await findBuildOfGame(db, appId, buildId))
    if (!found) throw notAGame()
    // A name may lead elsewhere one day.
    if (isUid(appId)) known.set(key, found)
    return found
  }
}

export function notAGame(): AppError {
  return new AppError('not_a_game', {
    message: 'Send the uid of the game as X-App-Id and the build_id of one of its builds as X-Build-Id.',
  })
}
