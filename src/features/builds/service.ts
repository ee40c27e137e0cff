import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { isUid } from '../../lib/ids.ts'
import { type BuildRow, findBuild } from './shared-queries.ts'

/** Finds a build of this game. A build of another game gets the same error as one that does not exist. */
export async function requireBuild(db: Db, gameUid: string, uid: string): Promise<BuildRow> {
  const build = isUid(uid) ? await findBuild(db, uid) : undefined
  if (build?.gameUid !== gameUid) throw new AppError('build_not_found')
  return build
}
