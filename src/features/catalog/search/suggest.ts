import { FILTERS, labelOfValue } from '../../../domain/listings/facets.ts'
import { QUERY_CHARACTERS_MAX } from '../../../lib/text/search-words.ts'
import { SUGGEST_FROM, type Suggestions } from './model.ts'
import type { CatalogSearch } from './service.ts'

const NOTHING: Suggestions = { listings: [], developers: [], facets: [], tags: [] }

/**
 * What begins with these words. They are looked up in this process; one statement confirms listings and developers, and
 * reads what is shown of them.
 */
export async function suggest(
  { words, sameWords, loadSuggested: load }: CatalogSearch,
  text: string,
  hiddenTags: readonly string[],
): Promise<Suggestions> {
  const typed = text.slice(0, QUERY_CHARACTERS_MAX).trim()
  if (typed.length < SUGGEST_FROM) return NOTHING
  const found = await words.suggest(typed, { sameWords: sameWords(), hiddenTags })
  return {
    ...(await load(found)),
    facets: found.facets.map(({ facet, value, count }) => ({
      facet,
      value,
      label: labelOfValue(FILTERS[facet], value),
      count,
    })),
    tags: [...found.tags],
  }
}
