import type { Transaction } from '../../../db/client.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { closeUnpayableOrders } from '../../games/open-orders.ts'
import { notifyWithNeighbours } from '../../games/service.ts'
import * as queries from './queries.ts'

export async function storeVisibility(
  tx: Transaction,
  game: queries.GameRow,
  to: Visibility,
): Promise<queries.GameRow> {
  const now = new Date()
  const moved = await queries.updateGame(tx, game.uid, {
    visibility: to,
    pendingPublication: null,
    graceWarnedAt: null,
    ...(to === 'public' ? { publishedAt: game.publishedAt ?? now, publicSince: now } : { publicSince: null }),
  })
  await closeUnpayableOrders(tx, { gameUid: game.uid })
  await notifyWithNeighbours(tx, game.uid)
  return moved
}
