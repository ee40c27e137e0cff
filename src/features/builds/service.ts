import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { isUid } from '../../lib/ids.ts'
import { type BuildRow, findBuild } from './shared-queries.ts'

/** A build of this game; another game's is as unknown as none. */
export async function requireBuild(db: Db, gameUid: string, uid: string): Promise<BuildRow> {
  const build = isUid(uid) ? await findBuild(db, uid) : undefined
  if (build?.gameUid !== gameUid) throw new AppError('build_not_found')
  return build
}
