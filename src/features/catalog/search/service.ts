import {
  type FacetCount,
  FACETS,
  type SearchEngine,
  type SearchHit,
} from '../../../clients/search/search-engine.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, hiddenTagsFor, seesAdult } from '../../../domain/actor.ts'
import type { Card } from '../pages/model.ts'
import { createCardCache, type ReadCards } from './card-cache.ts'
import type { Facets, SearchAnswer } from './model.ts'
import { openSearchEngine } from './open-engine.ts'
import { readQuery, type SearchParameters } from './query.ts'

export interface CatalogSearch {
  engine: SearchEngine
  readCards: ReadCards
}

export async function openCatalogSearch(deps: Deps): Promise<CatalogSearch> {
  return { engine: await openSearchEngine(deps), readCards: await createCardCache(deps) }
}

/**
 * The database confirms every hit before it is returned, so that a stale index never shows a listing that was hidden
 * or has become adult.
 */
export async function searchCatalog(
  { engine, readCards }: CatalogSearch,
  visitor: Actor,
  parameters: SearchParameters,
): Promise<SearchAnswer> {
  const started = performance.now()
  const withAdult = seesAdult(visitor)
  const hiddenTags = hiddenTagsFor(visitor, parameters('show_hidden')[0])
  const { page, query } = readQuery(parameters, withAdult, hiddenTags)
  const found = await engine.search(query)
  const cards = await readCards(found.hits.map(({ uid }) => uid))
  const shown = withAdult ? cards : cards.filter(({ adult }) => !adult)
  return {
    items: showHits(shown, found.hits, query.tags),
    total: found.total,
    page: page.page,
    page_size: page.page_size,
    facets: Object.fromEntries(FACETS.map((facet) => [facet, toCounts(found.facets[facet] ?? [])])) as Facets,
    engine: found.engine,
    took_ms: Math.round(performance.now() - started),
  }
}

function showHits(cards: readonly Card[], hits: readonly SearchHit[], tags: readonly string[]): Card[] {
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
