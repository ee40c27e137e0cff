import type { Deps } from '../../../deps.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../games/service.ts'
import { readCards } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'
import { type CardState, listCardStates } from './queries.ts'

const MAX_BYTES = 16 * 1024 ** 2
/** Expires entries as a fallback for a lost notification. */
const LIFETIME_MS = 60_000
/** The minimum time between two reads under load; an idle process reads immediately. */
const READS_APART_MS = 2

/** Cards of the public ones among these listings, in the order given. */
export type ReadCards = (uids: readonly string[]) => Promise<Card[]>

/**
 * Searches keep showing the same few cards. Notifications invalidate a card when its data changed; the primary still
 * confirms on every read that the listing is public, unchanged and not adult. Missing cards come from the replica.
 */
export async function createCardCache(deps: Deps): Promise<ReadCards> {
  const cached = new BoundedCache<Card>({
    maxBytes: MAX_BYTES,
    bytesOf: (card) => JSON.stringify(card).length * 2,
    lifetimeMs: LIFETIME_MS,
  })
  const invalidate = (uid: string) => (uid === ALL_GAMES ? cached.clear() : cached.delete(uid))
  await deps.database.listen(GAME_CHANGED, invalidate, () => cached.clear())

  const findState = coalesce(async (uids) => {
    const states = await listCardStates(deps.db, uids)
    return new Map(states.map((state) => [state.uid, state]))
  }, READS_APART_MS)

  async function readMissing(uids: readonly string[]): Promise<Card[]> {
    if (uids.length === 0) return []
    const store = cached.beginRead()
    const cards = await deps.reads.shared(
      (from) => readCards(from, uids),
      (found) => areCurrent(uids, found),
    )
    for (const card of cards) store(card.uid, card)
    return cards
  }

  async function areCurrent(uids: readonly string[], cards: readonly Card[]): Promise<boolean> {
    const byUid = new Map(cards.map((card) => [card.uid, card]))
    const states = await Promise.all(uids.map(findState))
    return uids.every((uid, index) => matches(byUid.get(uid), states[index]))
  }

  /** Cached cards that are still current; the others have to be read. */
  async function confirm(uids: readonly string[]): Promise<Map<string, Card>> {
    const states = await Promise.all(uids.map(findState))
    const confirmed = new Map<string, Card>()
    for (const [index, uid] of uids.entries()) {
      const [state, card] = [states[index], cached.get(uid)]
      if (card && state && matches(card, state)) confirmed.set(uid, card)
    }
    return confirmed
  }

  return async (uids) => {
    const known = uids.filter((uid) => cached.get(uid) !== undefined)
    const unknown = uids.filter((uid) => !known.includes(uid))
    const [confirmed, read] = await Promise.all([confirm(known), readMissing(unknown)])
    const changed = await readMissing(known.filter((uid) => !confirmed.has(uid)))
    const cards = new Map([...confirmed, ...[...read, ...changed].map((card) => [card.uid, card] as const)])
    return uids.flatMap((uid) => cards.get(uid) ?? [])
  }
}

/** Whether the card shows this state; a listing that is not public has neither. */
function matches(card: Card | undefined, state: CardState | undefined): boolean {
  if (!card || !state) return !card && !state
  return card.adult === state.adult && Date.parse(card.updated_at) === state.updatedAt
}
