import type { Db } from '../../db/client.ts'
import type { Agent, Player, StorePlayer, WebsiteUser } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import { isUid } from '../../lib/ids.ts'
import { findVisibleGame } from '../games/service.ts'
import { type Filer, findLinkedAccount, findReportedGame, type ReportedGame } from './shared-queries.ts'

/** No account has this uid. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Returns the filer with the account that is linked at present. */
export async function identifyFiler(
  db: Db,
  actor: Player | StorePlayer | WebsiteUser | Agent,
): Promise<Filer> {
  if (actor.kind === 'store_player') return { userUid: actor.linkedUserUid, extstoreId: actor.extstoreId }
  const { userUid } = actor
  return { userUid, extstoreId: await findLinkedAccount(db, userUid) }
}

/**
 * The reporter works at any visibility. A hidden game whose reporter was set up can be addressed by its uid;
 * by its name, or without a reporter, people who cannot open its page get "not found".
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
