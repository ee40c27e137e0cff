import type { Db, Transaction } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import type { GameRow } from '../../games/service.ts'
import { lockWholeGame } from '../../games/shared-queries.ts'
import { approvePublication, declinePublication } from '../../listings/page/approval.ts'
import { recordAct } from '../audit/service.ts'
import type { Operate } from '../operate.ts'
import type { WaitingPublication } from './model.ts'
import * as queries from './queries.ts'

export async function listWaiting(db: Db, page: Page): Promise<Paged<WaitingPublication>> {
  const [rows, total] = await Promise.all([queries.listWaiting(db, page), queries.countWaiting(db)])
  const items = rows.map(({ game, username }) => ({
    uid: game.uid,
    vanity_name: game.vanityName,
    name: game.name,
    tagline: game.tagline,
    asset_type: game.assetType,
    adult: game.adult,
    visibility: game.pendingPublication?.visibility ?? 'public',
    asked_at: game.pendingPublication?.at ?? game.updatedAt.toISOString(),
    owner: { uid: game.ownerUid, username },
  }))
  return paged(page, items, total)
}

export async function countWaiting(db: Db): Promise<number> {
  return await queries.countWaiting(db)
}

export async function approve(operate: Operate, operator: WebsiteUser, uid: string): Promise<void> {
  await decide(operate, uid, async (tx, game) => {
    await approvePublication(operate.deps, tx, game)
    await recordAct(tx, operator, { act: 'approve_publication', ...subjectOf(game) })
  })
}

export async function decline(
  operate: Operate,
  operator: WebsiteUser,
  uid: string,
  reason: string,
): Promise<void> {
  await decide(operate, uid, async (tx, game) => {
    await declinePublication(operate.deps, tx, game, reason)
    await recordAct(tx, operator, { act: 'decline_publication', ...subjectOf(game), reason })
  })
}

async function decide(
  { deps }: Operate,
  uid: string,
  work: (tx: Transaction, game: GameRow) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const game = isUid(uid) ? await lockWholeGame(tx, uid) : undefined
    if (!game) throw new AppError('not_found')
    await work(tx, game)
  })
}

function subjectOf({ uid, name }: GameRow) {
  return { subject: 'listing', id: uid, name } as const
}
