import {
  type FacetCount,
  FACETS,
  type SearchEngine,
  type SearchHit,
  type SearchHits,
} from '../../../clients/search/search-engine.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, hiddenTagsFor, seesAdult } from '../../../domain/actor.ts'
import type { Card } from '../pages/model.ts'
import { createCardCache, type ReadCards } from './card-cache.ts'
import type { Facets, SearchAnswer } from './model.ts'
import { openSearchEngine } from './open-engine.ts'
import { type ReadQuery, readQuery, type SearchParameters } from './query.ts'

export interface CatalogSearch {
  engine: SearchEngine
  readCards: ReadCards
}

export async function openCatalogSearch(deps: Deps): Promise<CatalogSearch> {
  return { engine: await openSearchEngine(deps), readCards: await createCardCache(deps) }
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
  { engine, readCards }: CatalogSearch,
  visitor: Actor,
  parameters: SearchParameters,
): Promise<FoundCards> {
  const withAdult = seesAdult(visitor)
  const query = readQuery(parameters, withAdult, hiddenTagsFor(visitor, parameters('show_hidden')[0]))
  const hits = await engine.search(query.query)
  const cards = await readCards(hits.hits.map(({ uid }) => uid))
  return { query, hits, cards: withAdult ? cards : cards.filter(({ adult }) => !adult) }
}

/** The number of results alone, without facets and cards. */
export async function countCards(
  { engine }: CatalogSearch,
  visitor: Actor,
  parameters: SearchParameters,
): Promise<number> {
  const hiddenTags = hiddenTagsFor(visitor, parameters('show_hidden')[0])
  const { query } = readQuery(parameters, seesAdult(visitor), hiddenTags)
  return (await engine.search({ ...query, offset: 0, limit: 0, facets: [] })).total
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
