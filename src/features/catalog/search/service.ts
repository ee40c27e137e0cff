import {
  type FacetCount,
  FACETS,
  type SearchEngine,
  type SearchHit,
  type SearchHits,
} from '../../../clients/search/search-engine.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, hiddenTagsFor, seesAdult } from '../../../domain/actor.ts'
import { createCollectionReader, type ReadCollections } from '../collections/reader.ts'
import { findShownCollection } from '../collections/service.ts'
import type { ReadCards } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'
import { createShelfReader, type FindShelf } from '../shelves/reader.ts'
import { createCardCache } from './card-cache.ts'
import type { Facets, SearchAnswer } from './model.ts'
import { openSearchEngine } from './open-engine.ts'
import { type ReadQuery, readQuery, type SearchParameters } from './query.ts'

export interface CatalogSearch {
  engine: SearchEngine
  readCards: ReadCards
  readCollections: ReadCollections
  findShelf: FindShelf
}

export async function openCatalogSearch(deps: Deps): Promise<CatalogSearch> {
  return {
    engine: await openSearchEngine(deps),
    readCards: await createCardCache(deps),
    readCollections: await createCollectionReader(deps.database),
    findShelf: createShelfReader(deps),
  }
}

/** The result of a search. Its objects are the same ones as long as the result is. */
export interface FoundCards {
  query: ReadQuery
  hits: SearchHits
  cards: readonly Card[]
}

/**
 * The database confirms every hit before it is returned, so that a stale index never shows a listing that was hidden
 * or has become adult.
 */
export async function findCards(
  search: CatalogSearch,
  visitor: Actor,
  parameters: SearchParameters,
): Promise<FoundCards> {
  const withAdult = seesAdult(visitor)
  const query = await readQueryOf(search, visitor, parameters)
  const hits = await search.engine.search(query.query)
  const cards = await search.readCards(hits.hits.map(({ uid }) => uid))
  return { query, hits, cards: withAdult ? cards : cards.filter(({ adult }) => !adult) }
}

/** The number of results alone, without facets and cards. */
export async function countCards(
  search: CatalogSearch,
  visitor: Actor,
  parameters: SearchParameters,
): Promise<number> {
  const { query } = await readQueryOf(search, visitor, parameters)
  return (await search.engine.search({ ...query, offset: 0, limit: 0, facets: [] })).total
}

/** A collection that is not shown, or was never there, has no listings. */
async function readQueryOf(
  { readCollections }: CatalogSearch,
  visitor: Actor,
  parameters: SearchParameters,
): Promise<ReadQuery> {
  const slug = parameters('collection')[0]?.trim() ?? ''
  const collection = slug === '' ? undefined : await findShownCollection(readCollections, slug)
  return readQuery(parameters, seesAdult(visitor), {
    hiddenTags: hiddenTagsFor(visitor, parameters('show_hidden')[0]),
    among: slug === '' ? null : (collection?.gameUids ?? []),
  })
}

export async function searchCatalog(
  search: CatalogSearch,
  visitor: Actor,
  parameters: SearchParameters,
): Promise<SearchAnswer> {
  const started = performance.now()
  const { query, hits, cards } = await findCards(search, visitor, parameters)
  return {
    items: toHits(cards, hits.hits, query.query.tags),
    total: hits.total,
    page: query.page.page,
    page_size: query.page.page_size,
    facets: toFacets(hits),
    engine: hits.engine,
    took_ms: Math.round(performance.now() - started),
  }
}

export function toFacets({ facets }: SearchHits): Facets {
  return Object.fromEntries(FACETS.map((facet) => [facet, toCounts(facets[facet] ?? [])])) as Facets
}

function toHits(cards: readonly Card[], hits: readonly SearchHit[], tags: readonly string[]): Card[] {
  const scores = new Map(hits.map(({ uid, score }) => [uid, score]))
  return cards.map((card) => ({
    ...card,
    score: scores.get(card.uid) ?? 0,
    matched_tags: tags.filter(
      (wanted) =>
        card.taxonomy.tags.includes(wanted) || card.community_tags.some(({ tag }) => tag === wanted),
    ),
  }))
}

function toCounts(counts: readonly FacetCount[]): Record<string, number> {
  return Object.fromEntries(counts.map(({ value, count }) => [value, count]))
}
