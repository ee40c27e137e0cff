import type { Db, Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import type { Agent, WebsiteUser } from '../../domain/actor.ts'
import type { HistoryKind } from '../../domain/history.ts'
import type { Page, Paged } from '../../lib/paging.ts'
import { mapPage, respond } from '../../lib/respond.ts'
import { showProgramName } from '../../lib/text/names.ts'
import { Change } from './history-model.ts'
import * as queries from './queries.ts'
import { openGame } from './service.ts'

type Author = WebsiteUser | Agent

/** Records a change in the transaction that makes it, so that none is missing. */
export async function recordChange(
  tx: Transaction,
  author: Author,
  gameUid: string,
  change: { kind: HistoryKind; subject: string },
): Promise<void> {
  await recordChangeBy(tx, await nameAuthor(tx, author), gameUid, change)
}

/** For a change that was requested earlier, under the name of that person. */
export async function recordChangeBy(
  tx: Transaction,
  changedBy: string,
  gameUid: string,
  change: { kind: HistoryKind; subject: string },
): Promise<void> {
  await queries.insertChange(tx, { gameUid, ...change, changedBy })
}

/** The name that histories show: a username, or `<program> for <username>`. */
export async function nameAuthor(db: Db, author: Author): Promise<string> {
  if (author.kind === 'user') return author.username
  const names = await queries.findAgentNames(db, author.userUid, author.clientId)
  if (!names) throw new Error('The agent acts for nobody')
  return `${showProgramName(names.program)} for ${names.username}`
}

export async function listHistory(
  deps: Deps,
  actor: Author,
  ref: string,
  page: Page,
): Promise<Paged<Change>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return mapPage(await queries.listChanges(deps.db, game.uid, page), (row) =>
    respond(Change, row, { changed_at: row.createdAt }),
  )
}
