import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { changeGame, openGame, recordChange } from '../../games/service.ts'
import { discardObjects } from '../../storage/service.ts'
import { requireBuild } from '../service.ts'
import { Symbols } from './model.ts'
import * as queries from './queries.ts'

type Caller = WebsiteUser | Agent

/** Lists the symbols of one build, or of all builds if `buildId` is undefined. */
export async function listSymbols(
  deps: Deps,
  actor: Caller,
  ref: string,
  buildId: string | undefined,
  page: Page,
): Promise<Paged<Symbols>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const build = buildId === undefined ? null : await requireBuild(deps.db, game.uid, buildId)
  const which = { gameUid: game.uid, buildUid: build?.uid }
  const rows = await queries.listSymbols(deps.db, which, page)
  return mapPage(rows, (row) => respond(Symbols, row, { build_id: row.buildUid }))
}

/** With `buildId`, removes the symbols only if they belong to that build. */
export async function removeSymbols(
  deps: Deps,
  actor: Caller,
  ref: string,
  uid: string,
  buildId?: string,
): Promise<void> {
  await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const build = buildId === undefined ? null : await requireBuild(tx, game.uid, buildId)
    const which = { gameUid: game.uid, buildUid: build?.uid }
    const deleted = isUid(uid) ? await queries.deleteSymbols(tx, which, uid) : undefined
    if (!deleted) throw new AppError('not_found')
    await discardObjects(tx, { keys: [deleted.objectKey] })
    const subject = `${deleted.filename} (${deleted.module} ${deleted.debugId})`
    await recordChange(tx, actor, game.uid, { kind: 'symbols_deleted', subject })
  })
}
