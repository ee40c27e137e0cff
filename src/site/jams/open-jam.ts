import type { Deps } from '../../deps.ts'
import { openJam } from '../../features/jams/access.ts'
import type { OwnJam } from '../../features/jams/jams/model.ts'
import { toOwnJam } from '../../features/jams/jams/responses.ts'
import type { PageContext } from '../kit/pages.ts'

/** A jam as pages of it show it to this visitor. */
export interface ShownJam {
  jam: OwnJam
  revision: number
  /** The clock of the database, in milliseconds. */
  now: number
  /** Whether the visitor hosts it or runs the store. */
  mayManage: boolean
}

export async function openShownJam(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { visit, params }: Pick<PageContext, 'visit' | 'params'>,
): Promise<ShownJam> {
  const access = await openJam(db, visit.actor, params['jam'] ?? '')
  return {
    jam: await toOwnJam(db, config.baseUrl, access),
    revision: access.jam.revision,
    now: access.now.getTime(),
    mayManage: access.mayManage,
  }
}
