import type { Db } from '../../db/client.ts'
import type { Player, StorePlayer } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import { isUid } from '../../lib/ids.ts'
import { findVisibleGame } from '../games/service.ts'
import { findReportedGame, type ReportedGame } from './filer-queries.ts'

/**
 * The reporter works at any visibility. A hidden game is addressed by its uid once its reporter was set up; before
 * that, and by its name, it is missing for everyone who cannot open its page.
 */
export async function openReportedGame(
  db: Db,
  actor: Player | StorePlayer,
  ref: string,
): Promise<ReportedGame> {
  const game = await find(db, actor, ref)
  if (!game) throw new AppError('not_found')
  if (actor.kind === 'store_player' && actor.gameUid !== game.uid)
    throw new AppError('unauthorized', {
      message: 'This session is of another game. Sign in to this one.',
    })
  return game
}

async function find(
  db: Db,
  actor: Player | StorePlayer,
  ref: string,
): Promise<ReportedGame | null | undefined> {
  if (isUid(ref)) {
    const isOwnSession = actor.kind === 'store_player' && actor.gameUid === ref.toLowerCase()
    const game = await findReportedGame(db, ref, isOwnSession)
    if (game) return game
  }
  const userUid = actor.kind === 'player' ? actor.userUid : actor.linkedUserUid
  return await findVisibleGame(db, { userUid: userUid ?? NOBODY }, ref)
}

/** No account has this uid. */
const NOBODY = '00000000-0000-0000-0000-000000000000'
