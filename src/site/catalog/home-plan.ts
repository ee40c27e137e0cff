import { GENRES } from '../../domain/listings/fields.ts'
import type { ShownCollection } from '../../features/catalog/collections/service.ts'
import type { Card } from '../../features/catalog/pages/model.ts'

/** The listings at the top of the home page. */
const PICKS_MAX = 3
const GENRE_TILES = 8
/** With fewer games to play now the row is left out, because it would look broken. */
export const PLAY_NOW_MIN = 4

/** The rows of cards, in no order. */
const ROWS = ['play_now', 'tonight', 'unheard_of', 'newest'] as const
export type RowName = (typeof ROWS)[number]
export type Rows = Readonly<Record<RowName, readonly Card[]>>

interface PickSource {
  /** The listing that the operators feature. */
  chosen: Card | undefined
  collections: readonly ShownCollection[]
  rows: Rows
}

/**
 * What stands at the top: the operators' choice, then collections, then what is new and known to few. A small store
 * keeps enough for the row that can be played at once.
 */
export function choosePicks({ chosen, collections, rows }: PickSource): Card[] {
  const curated = collections.flatMap(({ cards }) => cards)
  const found = [...rows.unheard_of, ...rows.newest]
  const candidates = [...curated, ...found.filter(isGame), ...found].filter(startsFairly)
  const picks = new Map<string, Card>()
  const playable = new Set(rows.play_now.map(({ uid }) => uid))
  let spare = rows.play_now.length - PLAY_NOW_MIN
  for (const card of [...(chosen ? [chosen] : []), ...candidates]) {
    if (picks.size === PICKS_MAX) break
    if (card.cover === null || card.adult || picks.has(card.uid)) continue
    const isPlayable = playable.has(card.uid)
    if (isPlayable && spare === 0 && card !== chosen) continue
    if (isPlayable) spare -= 1
    picks.set(card.uid, card)
  }
  return [...picks.values()]
}

const isGame = (card: Card) => card.asset_type === 'game'

function startsFairly(card: Card): boolean {
  return card.health.band !== 'problematic'
}

/** With fewer left, a row is left out: what it had stands above. */
const LEFT_MIN = 3

/** Every row without what stands above it, in the order of the page. The newest are always shown. */
export function withoutRepeats(picks: readonly Card[], rows: Rows, order: readonly string[]): Rows {
  const seen = new Set(picks.map(({ uid }) => uid))
  const left = { ...rows }
  for (const name of order.filter(isRow)) {
    const fresh = rows[name].filter(({ uid }) => !seen.has(uid))
    const isThin = name !== 'newest' && fresh.length < Math.min(LEFT_MIN, rows[name].length)
    left[name] = isThin ? [] : fresh
    for (const { uid } of left[name]) seen.add(uid)
  }
  return left
}

function isRow(name: string): name is RowName {
  return (ROWS as readonly string[]).includes(name)
}

export interface GenreCount {
  value: string
  count: number
}

export interface GenreTile {
  genre: string
  count: number
  /** A listing whose picture the tile shows. */
  card: Card | undefined
}

/** The genres with the most listings, each with a picture of its own where there is one. */
export function chooseGenres(counts: readonly GenreCount[], cards: readonly Card[]): GenreTile[] {
  const used = new Set<string>()
  return counts
    .filter(({ value, count }) => count > 0 && (GENRES as readonly string[]).includes(value))
    .slice(0, GENRE_TILES)
    .map(({ value: genre, count }) => {
      const card = cards.find(
        ({ uid, adult, thumbnail, taxonomy }) =>
          thumbnail !== null && !adult && !used.has(uid) && (taxonomy.genres as string[]).includes(genre),
      )
      if (card) used.add(card.uid)
      return { genre, count, card }
    })
}
