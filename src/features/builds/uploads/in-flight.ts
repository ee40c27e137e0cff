import type { Db, Transaction } from '../../../db/client.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { discardObjects } from '../../storage/service.ts'
import { deleteSessionsOfOwner, listGamesOfOwner } from './queries.ts'

const UPLOADS_ENDED = 'uploads_ended'

/** A request that receives a file, until disposed. */
export interface Receiving extends Disposable {
  /** Fires with the error for the client when the uploads of the game are ended. */
  signal: AbortSignal
}

export interface InFlight {
  enter(gameUid: string): Receiving
}

/** The requests of this process that receive files, by game. */
export async function createInFlight({ database }: Pick<Deps, 'database'>): Promise<InFlight> {
  const games = new Map<string, Set<AbortController>>()
  await database.listen(
    UPLOADS_ENDED,
    (gameUid) => games.get(gameUid)?.forEach((request) => request.abort(ownerSuspended())),
    () => undefined,
  )
  return {
    enter(gameUid) {
      const request = new AbortController()
      const requests = games.get(gameUid) ?? new Set()
      games.set(gameUid, requests.add(request))
      return {
        signal: request.signal,
        [Symbol.dispose]() {
          requests.delete(request)
          if (requests.size === 0) games.delete(gameUid)
        },
      }
    },
  }
}

/** Called with a transaction, every process aborts its uploads to these games when it commits. */
async function abortInFlight(db: Db, gameUids: readonly string[]): Promise<void> {
  await notify(db, UPLOADS_ENDED, ...gameUids)
}

export function ownerSuspended(): AppError {
  return new AppError('forbidden', {
    message: 'The owner of this game is suspended, so nothing can be uploaded to it.',
  })
}

/** Ends every upload to the games of an account: open sessions, and requests in flight in any process. */
export async function endUploadsOfOwner(tx: Transaction, ownerUid: string): Promise<void> {
  const ended = await deleteSessionsOfOwner(tx, ownerUid)
  const unfinished = ended.filter(({ fileUid }) => fileUid === null)
  await discardObjects(tx, {
    keys: unfinished.map(({ objectKey }) => objectKey),
    uploads: unfinished.map(({ uploadId }) => uploadId),
  })
  await abortInFlight(tx, await listGamesOfOwner(tx, ownerUid))
}
