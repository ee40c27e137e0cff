import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { SHELF_KINDS } from '../../../domain/listings/shelves.ts'
import { AppError } from '../../../errors.ts'
import type { ReadCards } from '../pages/cards.ts'
import { hasTagOf } from '../pages/has-tag.ts'
import type { Card } from '../pages/model.ts'
import { type Shelf, SHELF_SIZE } from './model.ts'
import type { FindShelf } from './reader.ts'

export interface ShelfSource {
  findShelf: FindShelf
  readCards: ReadCards
}

/** Omits listings that were hidden or became adult after the last refresh, and those with tags the reader hides. */
export async function readShelf(
  { findShelf, readCards }: ShelfSource,
  kindName: string,
  osName: string | undefined,
  now: Date,
  hiddenTags: readonly string[],
): Promise<Shelf> {
  const kind = SHELF_KINDS.find((known) => known === kindName)
  if (kind === undefined) {
    throw new AppError('not_found', {
      message: `This shelf does not exist. The shelves are ${SHELF_KINDS.join(', ')}.`,
    })
  }
  const os = OPERATING_SYSTEMS.find((known) => known === osName) ?? null
  const shelf = await findShelf(kind, os ?? 'any')
  const cards = shelf ? await readCards(shelf.gameUids) : []
  const isShown = (card: Card) =>
    !card.adult && !hasTagOf(card, hiddenTags) && (kind !== 'play_now' || card.playable)
  const items = cards.filter(isShown).slice(0, SHELF_SIZE)
  return { kind, date: shelf?.date ?? now.toISOString().slice(0, 10), os, items }
}
