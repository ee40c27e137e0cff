import type { Db } from '../../../db/client.ts'
import { keyExpired } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { requireBuildChannels } from '../deploy-keys/channels.ts'
import { requireBuild } from '../service.ts'
import * as queries from './queries.ts'
import type { Target } from './service.ts'

/**
 * A key that expired goes on with what it opened. What is said of a trusted publisher's file must be true of all its
 * bytes, so that only the same run goes on with it.
 */
export async function requireMayContinue(
  db: Db,
  { keyUid, gameUid, channels, hasExpired }: Target,
  session: queries.SessionRow,
): Promise<void> {
  const isOwn = keyUid !== null && session.keyUid === keyUid
  if (hasExpired && !isOwn) throw keyExpired()
  if (channels !== null)
    await requireBuildChannels(db, { channels }, await requireBuild(db, gameUid, session.buildUid))
  if (session.origin === null || isOwn) return
  const { origin = null } = (keyUid !== null && (await queries.findUploader(db, gameUid, keyUid))) || {}
  if (Bun.deepEquals(origin, session.origin)) return
  throw new AppError('forbidden', {
    message:
      'A pipeline of a trusted publisher began this upload, and only the same run of it can go on. Open a new session.',
  })
}
