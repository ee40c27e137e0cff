import type { Deps } from '../../../deps.ts'
import { coalesce } from '../../../lib/coalesce.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../games/service.ts'
import { readCards } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'
import { listCardStates } from './queries.ts'

/** About 40 MB. */
const KEPT_CARDS = 10_000
/** Ends what an announcement that never arrived would leave behind. */
const LIFETIME_MS = 60_000
/** A busy process reads so often at most; one that is not busy reads at once. */
const READS_APART_MS = 2

/** Cards of the public ones among these listings, in the order given. */
export type ReadCards = (uids: readonly string[]) => Promise<Card[]>

interface KeptCard {
  card: Card
  keptAt: number
}

/**
 * Searches show the same few cards again and again. Announcements drop a card when something it shows changed; whether
 * it is still public, as it was edited last and not adult, the database is asked every time.
 */
export async function createCardCache(deps: Deps): Promise<ReadCards> {
  const kept = new Map<string, KeptCard>()
  let announcements = 0
  const forget = (uid: string) => {
    announcements += 1
    if (uid === ALL_GAMES) kept.clear()
    else kept.delete(uid)
  }
  await deps.database.listen(GAME_CHANGED, forget, () => forget(ALL_GAMES))

  const findState = coalesce(async (uids) => {
    const states = await listCardStates(deps.database, uids)
    return new Map(states.map((state) => [state.uid, state]))
  }, READS_APART_MS)

  async function readMissing(uids: readonly string[]): Promise<Card[]> {
    if (uids.length === 0) return []
    const [before, keptAt] = [announcements, Date.now()]
    const cards = await readCards(deps, uids)
    // What was announced while we were reading may be newer than what we read.
    if (announcements === before) for (const card of cards) keep({ card, keptAt })
    return cards
  }

  /** Past the bound goes what was not shown the longest. */
  function keep(entry: KeptCard): void {
    kept.delete(entry.card.uid)
    kept.set(entry.card.uid, entry)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size > KEPT_CARDS) kept.delete(oldest)
  }

  /** Those that are kept and still right; the others have to be read. */
  async function confirm(uids: readonly string[]): Promise<Map<string, Card>> {
    const states = await Promise.all(uids.map(findState))
    const confirmed = new Map<string, Card>()
    for (const [index, uid] of uids.entries()) {
      const [state, known] = [states[index], kept.get(uid)]
      if (!state || !known) continue
      const { card } = known
      if (card.adult !== state.adult || Date.parse(card.updated_at) !== state.updatedAt) continue
      confirmed.set(uid, card)
      keep(known)
    }
    return confirmed
  }

  function isKept(uid: string): boolean {
    const known = kept.get(uid)
    return known !== undefined && Date.now() - known.keptAt <= LIFETIME_MS
  }

  return async (uids) => {
    const [known, unknown] = [uids.filter(isKept), uids.filter((uid) => !isKept(uid))]
    const [confirmed, read] = await Promise.all([confirm(known), readMissing(unknown)])
    const changed = await readMissing(known.filter((uid) => !confirmed.has(uid)))
    const cards = new Map([...confirmed, ...[...read, ...changed].map((card) => [card.uid, card] as const)])
    return uids.flatMap((uid) => cards.get(uid) ?? [])
  }
}
