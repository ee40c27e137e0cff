import type { Transaction } from '../../../db/client.ts'
import { formatDollars } from '../../../lib/text/show.ts'
import { recordNotice, recordReleased } from '../../games/notice-events.ts'
import type { GameRow } from './queries.ts'

type Subject = Pick<GameRow, 'uid' | 'ownerUid' | 'vanityName' | 'name' | 'tagline'>

/** Tells who wishes the listing what an edit means for them. Call it last in the transaction of the edit. */
export async function recordEdit(tx: Transaction, before: GameRow, after: GameRow): Promise<void> {
  if (after.status === 'released' && before.status !== 'released') await recordReleased(tx, after)
  if (after.priceCents < before.priceCents) await recordLowerPrice(tx, before.priceCents, after)
}

async function recordLowerPrice(tx: Transaction, oldCents: number, game: GameRow): Promise<void> {
  const { uid, ownerUid, priceCents } = game
  await recordNotice(tx, {
    kind: 'price',
    gameUid: uid,
    developerUid: ownerUid,
    facts: {
      title: priceCents === 0 ? 'Now free' : `Now ${formatDollars(priceCents)}`,
      text: `It was ${formatDollars(oldCents)} before.`,
      price_cents: priceCents,
      old_price_cents: oldCents,
    },
  })
}

/** Tells the followers of the developer, once for each listing. */
export async function recordNewGame(tx: Transaction, game: Subject): Promise<void> {
  const { uid, ownerUid, name, tagline } = game
  await recordNotice(tx, {
    kind: 'new_game',
    gameUid: uid,
    developerUid: ownerUid,
    facts: { title: name, ...(tagline !== '' && { text: tagline }) },
    onceKey: `new_game ${uid}`,
  })
}

/** Tells the owner what operators did to the listing. */
export async function recordOperatorAct(
  tx: Transaction,
  game: Subject,
  facts: { title: string; text: string },
): Promise<void> {
  const { uid, ownerUid } = game
  await recordNotice(tx, { kind: 'operator', gameUid: uid, userUid: ownerUid, facts })
}
