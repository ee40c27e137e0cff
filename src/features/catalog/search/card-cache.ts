import type { Deps } from '../../../deps.ts'
import { coalesceMany } from '../../../lib/flow/coalesce.ts'
import { createGamesCache, listStates, stateOf } from '../../games/confirm.ts'
import { type LoadCards, loadCards } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'

const MAX_BYTES = 16 * 1024 ** 2
/** Older cards are shown and refreshed in the background; changed listings are detected anyway. */
const FRESH_MS = 60_000
const LIFETIME_MS = 2 * FRESH_MS
const REFRESHES_APART_MS = 250
const REFRESHED_AT_ONCE = 200

/**
 * Caches cards, because searches keep showing the same few. Missing cards come from the replica. An unchanged
 * card stays the same object when it is read again, so that pages made of it are not rendered again.
 */
export async function createCardCache({ database, reads, log }: Deps): Promise<LoadCards> {
  const cache = await createGamesCache<Card>(database, {
    maxBytes: MAX_BYTES,
    lifetimeMs: LIFETIME_MS,
    bytesOf: (card) => JSON.stringify(card).length * 2,
    originOf: (card) => ({ states: [stateOfCard(card)] }),
  })
  const readAt = new WeakMap<Card, number>()

  async function readAnew(uids: readonly string[]): Promise<Card[]> {
    if (uids.length === 0) return []
    const store = cache.beginRead()
    const read = await reads.shared(
      (from) => loadCards(from, uids),
      (found) => cache.isCurrent(listStates(uids, found, stateOfCard)),
    )
    const now = Date.now()
    return read.map((fresh) => {
      const known = cache.peek(fresh.uid)
      const card = known && Bun.deepEquals(known, fresh) ? known : fresh
      readAt.set(card, now)
      store(card.uid, card)
      return card
    })
  }

  const isOld = (card: Card) => Date.now() - (readAt.get(card) ?? 0) > FRESH_MS

  const refresh = coalesceMany<true>(async (uids) => {
    const old = uids.filter((uid) => {
      const card = cache.peek(uid)
      return card !== undefined && isOld(card)
    })
    try {
      for (let start = 0; start < old.length; start += REFRESHED_AT_ONCE)
        await readAnew(old.slice(start, start + REFRESHED_AT_ONCE))
    } catch (error) {
      log.warn('Cards could not be read again; they expire within a minute', { error })
    }
    return new Map<string, true>()
  }, REFRESHES_APART_MS)

  return async (uids) => {
    const known = new Set(uids.filter((uid) => cache.peek(uid) !== undefined))
    const unknown = uids.filter((uid) => !known.has(uid))
    const [cards, read] = await Promise.all([cache.find([...known]), readAnew(unknown)])
    const old = [...cards.values()].filter(isOld)
    if (old.length > 0) void refresh(old.map(({ uid }) => uid))
    const changed = await readAnew([...known].filter((uid) => !cards.has(uid)))
    for (const card of [...read, ...changed]) cards.set(card.uid, card)
    return uids.flatMap((uid) => cards.get(uid) ?? [])
  }
}

/** Only public listings have cards. */
function stateOfCard({ uid, adult, updated_at }: Card): string {
  return stateOf({ uid, visibility: 'public', adult, updatedAt: new Date(updated_at) })
}
