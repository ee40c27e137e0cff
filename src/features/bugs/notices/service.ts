import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Player, StorePlayer, WebsiteUser } from '../../../domain/actor.ts'
import type { TicketStatus } from '../../../domain/bugs.ts'
import { isUid } from '../../../lib/ids.ts'
import { cutAtWord, oneLine } from '../../../lib/text/cut-text.ts'
import { identifyFiler } from '../filers.ts'
import { openReportedGame } from '../reported-game.ts'
import type { BugNotice, BugNotices, NoticesAcked } from './model.ts'
import * as queries from './queries.ts'

const EXCERPT_MAX = 140
const SHOWN_MAX = 100

/** A notice with the name of its game, for the pages. */
export interface NamedNotice extends BugNotice {
  /** null: the game is hidden, and the filer never had it in the library. */
  game_name: string | null
}

/** Unread notices of one game, newest first; also while its reporter is off. */
export async function listNotices(deps: Deps, actor: Player | StorePlayer, ref: string): Promise<BugNotices> {
  const { uid } = await openReportedGame(deps.db, actor, ref)
  const rows = await queries.listUnread(deps.db, await identifyFiler(deps.db, actor), uid, SHOWN_MAX)
  return { notices: rows.map(toNotice) }
}

export async function acknowledgeNotices(
  deps: Deps,
  actor: Player | StorePlayer,
  ref: string,
  uids: readonly string[],
): Promise<NoticesAcked> {
  const { uid } = await openReportedGame(deps.db, actor, ref)
  const filer = await identifyFiler(deps.db, actor)
  return { acknowledged: await queries.acknowledge(deps.db, filer, uid, uids.filter(isUid)) }
}

/** Unread notices of every game. */
export async function listAllNotices(deps: Deps, user: WebsiteUser): Promise<NamedNotice[]> {
  const rows = await queries.listUnread(deps.db, await identifyFiler(deps.db, user), null, SHOWN_MAX)
  return rows.map((row) => ({ ...toNotice(row), game_name: row.gameName }))
}

export async function acknowledgeAnyNotices(
  deps: Deps,
  user: WebsiteUser,
  uids: readonly string[],
): Promise<NoticesAcked> {
  const filer = await identifyFiler(deps.db, user)
  return { acknowledged: await queries.acknowledge(deps.db, filer, null, uids.filter(isUid)) }
}

/** A fixed ticket gets one notice. Closing or reopening it withdraws the notice if nobody has read it. */
export async function updateNotice(
  tx: Transaction,
  ticketUid: string,
  from: TicketStatus,
  to: TicketStatus,
  fixedInVersion: string | null,
): Promise<void> {
  if (to !== 'fixed') await queries.deleteUnread(tx, ticketUid)
  else if (from === 'fixed') await queries.updateUnread(tx, ticketUid, fixedInVersion)
  else await queries.insertNotice(tx, ticketUid, fixedInVersion)
}

function toNotice({ notice, message }: queries.NoticeRow): BugNotice {
  return {
    uid: notice.uid,
    ticket_uid: notice.ticketUid,
    excerpt: cutAtWord(oneLine(message), EXCERPT_MAX),
    fixed_in_version: notice.fixedInVersion,
    fixed_at: notice.fixedAt.toISOString(),
  }
}
