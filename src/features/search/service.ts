import type { FacetCount, SearchEngine, SearchHit } from '../../clients/search/search-engine.ts'
import { FACETS } from '../../clients/search/search-engine.ts'
import type { Deps } from '../../deps.ts'
import type { Anonymous, Player } from '../../lib/actor.ts'
import type { Card } from '../catalog/model.ts'
import { readCards } from '../catalog/service.ts'
import type { Facets, SearchAnswer } from './model.ts'
import { readQuery, type SearchParameters } from './query.ts'

export { indexChanges } from './indexing.ts'
export { reindex } from './reindex.ts'

/**
 * What the engine finds is read from the database before anyone sees it, so that an index that is behind can show
 * neither what has been hidden nor what has become adult.
 */
export async function searchCatalog(
  deps: Deps,
  engine: SearchEngine,
  visitor: Anonymous | Player,
  parameters: SearchParameters,
): Promise<SearchAnswer> {
  const started = performance.now()
  const withAdult = visitor.kind === 'player' && visitor.adultContent
  const { page, query } = readQuery(parameters, withAdult)
  const found = await engine.search(query)
  const items = await readHits(deps, found.hits, query.tags)
  return {
    items: withAdult ? items : items.filter(({ adult }) => !adult),
    total: found.total,
    page: page.page,
    page_size: page.page_size,
    facets: Object.fromEntries(FACETS.map((facet) => [facet, toCounts(found.facets[facet] ?? [])])) as Facets,
    engine: found.engine,
    took_ms: Math.round(performance.now() - started),
  }
}

async function readHits(deps: Deps, hits: readonly SearchHit[], tags: readonly string[]): Promise<Card[]> {
  if (hits.length === 0) return []
  const scores = new Map(hits.map(({ uid, score }) => [uid, score]))
  const cards = await readCards(deps, [...scores.keys()])
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
