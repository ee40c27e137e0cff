import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { Page } from '../../../lib/paging.ts'
import { openGame } from '../../games/service.ts'
import { requireBuild } from '../service.ts'
import * as queries from './queries.ts'

export type EntryDifference = queries.EntryDifference

export interface BuildDifference extends queries.Difference {
  before: queries.EarlierBuild
}

/**
 * How the inner files differ from those of the build before; null for the first build of a platform, and for a page
 * that was taken down.
 */
export async function readDifference(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  buildId: string,
  page: Page,
): Promise<BuildDifference | null> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  if (game.takenDown && !user.isOperator) return null
  const build = await requireBuild(deps.db, game.uid, buildId)
  const before = await queries.findBuildBefore(deps.db, build)
  if (!before) return null
  return { before, ...(await queries.compareEntries(deps.db, build.uid, before.uid, page)) }
}
