import type { DatabaseHandle } from '../../../db/client.ts'
import { invalidateOn } from '../../../db/notify/notify.ts'
import { type Actor, hiddenTagsFor, seesAdult } from '../../../domain/actor.ts'
import { collectionUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import { respond } from '../../../lib/respond.ts'
import type { LoadCards } from '../pages/cards.ts'
import { hasTagOf } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'
import { CollectionSummary } from './model.ts'
import { type CollectionRow, listCollections } from './queries.ts'

export interface CollectionSource {
  loadCards: LoadCards
  loadCollections: LoadCollections
}

/** A collection with the cards that this visitor sees. */
export interface ShownCollection {
  collection: CollectionRow
  cards: Card[]
}

export async function findShownCollection(
  loadCollections: LoadCollections,
  slug: string,
): Promise<CollectionRow | undefined> {
  return (await loadCollections(new Date())).find((collection) => collection.slug === slug)
}

export async function loadCollection(
  source: CollectionSource,
  visitor: Actor,
  slug: string,
  showHidden: string | null | undefined,
): Promise<ShownCollection> {
  const collection = await findShownCollection(source.loadCollections, slug)
  if (!collection) throw new AppError('not_found')
  const [shown] = await fillCollections(source, visitor, [collection], { showHidden })
  return shown ?? { collection, cards: [] }
}

interface FillOptions {
  showHidden: string | null | undefined
  /** Limits each collection to its first cards. */
  cardsMax?: number
}

/** Loads the cards of all collections in one call. */
export async function fillCollections(
  { loadCards }: Pick<CollectionSource, 'loadCards'>,
  visitor: Actor,
  collections: readonly CollectionRow[],
  { showHidden, cardsMax = Infinity }: FillOptions,
): Promise<ShownCollection[]> {
  if (collections.length === 0) return []
  // More than are shown, because some may be hidden.
  const wanted = collections.map(({ gameUids }) => gameUids.slice(0, 2 * cardsMax))
  const cards = await loadCards([...new Set(wanted.flat())])
  const hiddenTags = hiddenTagsFor(visitor, showHidden)
  const seen = cards.filter((card) => (seesAdult(visitor) || !card.adult) && !hasTagOf(card, hiddenTags))
  const byUid = new Map(seen.map((card) => [card.uid, card]))
  return collections.map((collection, index) => ({
    collection,
    cards: (wanted[index] ?? []).flatMap((uid) => byUid.get(uid) ?? []).slice(0, cardsMax),
  }))
}

export function toSummary(baseUrl: string, collection: CollectionRow): CollectionSummary {
  const url = collectionUrl(baseUrl, collection.slug)
  return respond(CollectionSummary, collection, { url, feed_url: `${url}/feed.xml` })
}

/** Every change sends this notification to all processes. */
export const COLLECTIONS_CHANGED = 'collections'
export const ALL_COLLECTIONS = 'all'
/** How long a process that missed a notification may show old collections. */
const LIFETIME_MS = 60_000

/**
 * The collections that are shown at this moment, newest first. Their objects stay the same ones until a
 * change.
 */
export type LoadCollections = (now: Date) => Promise<CollectionRow[]>

/** Keeps all collections in memory, because home page, search and feeds need them all the time. */
export async function createCollectionReader(database: DatabaseHandle): Promise<LoadCollections> {
  const cache = createCache<CollectionRow[]>({
    maxEntries: 1,
    lifetimeMs: LIFETIME_MS,
    isTrusted: () => database.isListening(),
  })
  await invalidateOn(database, COLLECTIONS_CHANGED, cache, ALL_COLLECTIONS)
  return async (now) => {
    const all = await cache.load(ALL_COLLECTIONS, () => listCollections(database.db))
    return all.filter((collection) => isShown(collection, now))
  }
}

function isShown({ from, until }: Pick<CollectionRow, 'from' | 'until'>, now: Date): boolean {
  return (from === null || from <= now) && (until === null || now < until)
}
