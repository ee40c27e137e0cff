import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { lockGame, openGame } from '../../games/service.ts'
import { discardObjects } from '../../storage/service.ts'
import type { Symbols } from './model.ts'
import * as queries from './queries.ts'

export async function listSymbols(
  deps: Deps,
  actor: WebsiteUser | Agent,
  ref: string,
  page: Page,
): Promise<Paged<Symbols>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const [rows, total] = await Promise.all([
    queries.listSymbols(deps.db, game.uid, page),
    queries.countSymbols(deps.db, game.uid),
  ])
  return paged(page, rows.map(showSymbols), total)
}

/** Enough for every module of a game, newest first. */
const OF_BUILD_MAX = 200

export async function listSymbolsOfBuild(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  buildId: string,
): Promise<Symbols[]> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  if (!isUid(buildId)) return []
  return (await queries.listSymbolsOfBuild(deps.db, game.uid, buildId, OF_BUILD_MAX)).map(showSymbols)
}

export async function removeSymbols(
  deps: Deps,
  actor: WebsiteUser | Agent,
  ref: string,
  uid: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const key = isUid(uid) ? await queries.deleteSymbols(tx, game.uid, uid) : undefined
    if (key === undefined) throw new AppError('not_found')
    await discardObjects(tx, { keys: [key] })
  })
}

function showSymbols(row: queries.SymbolsRow): Symbols {
  return {
    uid: row.uid,
    build_id: row.buildUid,
    module: row.module,
    debug_id: row.debugId,
    filename: row.filename,
    size: row.size,
    created_at: row.createdAt.toISOString(),
  }
}
