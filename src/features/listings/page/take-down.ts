import type { Transaction } from '../../../db/client.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { closeUnpayableOrders } from '../../games/open-orders.ts'
import { GAME_TAKEN_DOWN, notifyWithNeighbours } from '../../games/service.ts'
import { readReport } from '../check/service.ts'
import { refuseOpenAdult } from './adult-policy.ts'
import { restoredMail, takenDownMail } from './mails.ts'
import { mailOwner } from './owner-mail.ts'
import * as queries from './queries.ts'

/**
 * Makes the page one that only its owner can open, which every reader of pages already honours, and remembers what it
 * was. Revision and dates stay, so that undoing it leaves no trace.
 */
export async function takeDownPage(
  deps: Deps,
  tx: Transaction,
  game: queries.GameRow,
  reason: string,
): Promise<void> {
  if (game.takenDown) throw new AppError('taken', { message: 'This page is already taken down.' })
  const { uid, visibility } = game
  const takenDown = { at: new Date().toISOString(), reason, visibility }
  await queries.setTakenDown(tx, uid, { visibility: 'owner', takenDown })
  await closeUnpayableOrders(tx, { gameUid: uid })
  await notifyWithNeighbours(tx, uid)
  await notify(tx, GAME_TAKEN_DOWN, uid)
  await mailOwner(deps, tx, game, (page) => takenDownMail(page, reason))
}

/** A page that no longer passes the listing check, because its owner edited it meanwhile, becomes a draft. */
export async function restorePage(deps: Deps, tx: Transaction, game: queries.GameRow): Promise<void> {
  if (!game.takenDown) throw new AppError('taken', { message: 'This page is not taken down.' })
  const before = game.takenDown.visibility
  await refuseOpenAdult(tx, { adult: game.adult, visibility: before })
  const isFine = before !== 'public' || (await readReport(tx, game.uid)).ok
  await queries.setTakenDown(tx, game.uid, { visibility: isFine ? before : 'draft', takenDown: null })
  await notifyWithNeighbours(tx, game.uid)
  await mailOwner(deps, tx, game, restoredMail)
}
