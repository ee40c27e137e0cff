import type { Deps } from '../../../deps.ts'
import { hiddenState, stateOf } from '../../games/confirm.ts'
import { createConfirmedCache } from '../../games/confirmed-cache.ts'
import { type ReadCards, readCards } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'

const MAX_BYTES = 16 * 1024 ** 2
const LIFETIME_MS = 60_000

/** Searches keep showing the same few cards. Missing cards come from the replica. */
export async function createCardCache({ database, reads }: Deps): Promise<ReadCards> {
  const cache = await createConfirmedCache<Card>(database, {
    maxBytes: MAX_BYTES,
    lifetimeMs: LIFETIME_MS,
    bytesOf: (card) => JSON.stringify(card).length * 2,
  })

  async function readMissing(uids: readonly string[]): Promise<Card[]> {
    if (uids.length === 0) return []
    const store = cache.beginRead()
    const cards = await reads.shared(
      (from) => readCards(from, uids),
      (found) => cache.isCurrent(listStates(uids, found)),
    )
    for (const card of cards) store(card.uid, card, { states: [stateOfCard(card)] })
    return cards
  }

  return async (uids) => {
    const known = uids.filter((uid) => cache.has(uid))
    const unknown = uids.filter((uid) => !cache.has(uid))
    const [confirmed, read] = await Promise.all([cache.find(known), readMissing(unknown)])
    const changed = await readMissing(known.filter((uid) => !confirmed.has(uid)))
    const cards = new Map([...confirmed, ...[...read, ...changed].map((card) => [card.uid, card] as const)])
    return uids.flatMap((uid) => cards.get(uid) ?? [])
  }
}

function listStates(uids: readonly string[], cards: readonly Card[]): string[] {
  const byUid = new Map(cards.map((card) => [card.uid, card]))
  return uids.map((uid) => {
    const card = byUid.get(uid)
    return card ? stateOfCard(card) : hiddenState(uid)
  })
}

/** Only public listings have cards. */
function stateOfCard({ uid, adult, updated_at }: Card): string {
  return stateOf({ uid, visibility: 'public', adult, updatedAt: new Date(updated_at) })
}
