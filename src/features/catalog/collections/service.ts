import { type Actor, hiddenTagsFor, seesAdult } from '../../../domain/actor.ts'
import { collectionUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import type { ReadCards } from '../pages/cards.ts'
import { hasTagOf } from '../pages/has-tag.ts'
import type { Card } from '../pages/model.ts'
import type { CollectionSummary } from './model.ts'
import type { CollectionRow } from './queries.ts'
import type { ReadCollections } from './reader.ts'

export interface CollectionSource {
  readCards: ReadCards
  readCollections: ReadCollections
}

/** A collection with the cards that this visitor sees. */
export interface ShownCollection {
  collection: CollectionRow
  cards: Card[]
}

export async function findShownCollection(
  readCollections: ReadCollections,
  slug: string,
): Promise<CollectionRow | undefined> {
  return (await readCollections(new Date())).find((collection) => collection.slug === slug)
}

export async function readCollection(
  source: CollectionSource,
  visitor: Actor,
  slug: string,
  showHidden: string | null | undefined,
): Promise<ShownCollection> {
  const collection = await findShownCollection(source.readCollections, slug)
  if (!collection) throw new AppError('not_found')
  const [shown] = await fillCollections(source, visitor, [collection], { showHidden })
  return shown ?? { collection, cards: [] }
}

interface FillOptions {
  showHidden: string | null | undefined
  /** Of each collection only the first cards. */
  cardsMax?: number
}

/** The cards of all of them at once. */
export async function fillCollections(
  { readCards }: Pick<CollectionSource, 'readCards'>,
  visitor: Actor,
  collections: readonly CollectionRow[],
  { showHidden, cardsMax = Infinity }: FillOptions,
): Promise<ShownCollection[]> {
  if (collections.length === 0) return []
  // More than are shown, because some may be hidden.
  const wanted = collections.map(({ gameUids }) => gameUids.slice(0, 2 * cardsMax))
  const cards = await readCards([...new Set(wanted.flat())])
  const hiddenTags = hiddenTagsFor(visitor, showHidden)
  const seen = cards.filter((card) => (seesAdult(visitor) || !card.adult) && !hasTagOf(card, hiddenTags))
  const byUid = new Map(seen.map((card) => [card.uid, card]))
  return collections.map((collection, index) => ({
    collection,
    cards: (wanted[index] ?? []).flatMap((uid) => byUid.get(uid) ?? []).slice(0, cardsMax),
  }))
}

export function toSummary(baseUrl: string, collection: CollectionRow): CollectionSummary {
  const { uid, slug, title, text, onHome, from, until } = collection
  const url = collectionUrl(baseUrl, slug)
  return {
    uid,
    slug,
    title,
    text,
    on_home: onHome,
    from: from?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    url,
    feed_url: `${url}/feed.xml`,
  }
}
