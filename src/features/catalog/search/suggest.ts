import { FILTERS, labelOfValue } from '../../../domain/listings/facets.ts'
import { QUERY_CHARACTERS_MAX } from '../../../lib/text/search-words.ts'
import { SUGGEST_FROM, type Suggestions } from './model.ts'
import type { CatalogSearch } from './service.ts'

const NOTHING: Suggestions = { listings: [], developers: [], facets: [], tags: [] }

/**
 * What begins with these words. The words are looked up in this process; the database confirms the listings and has the
 * names of the developers, one query each.
 */
export async function suggest(
  { words, sameWords, loadCards, loadPeople }: CatalogSearch,
  text: string,
  hiddenTags: readonly string[],
): Promise<Suggestions> {
  const typed = text.slice(0, QUERY_CHARACTERS_MAX).trim()
  if (typed.length < SUGGEST_FROM) return NOTHING
  const found = await words.suggest(typed, { sameWords: sameWords(), hiddenTags })
  const [cards, developers] = await Promise.all([
    loadCards(found.uids),
    loadPeople(found.developers.map(({ username }) => username)),
  ])
  return {
    listings: cards
      .filter(({ adult }) => !adult)
      .map(({ vanity_name, name, thumbnail, cover, developer }) => {
        // As small as a list shows it.
        return { vanity_name, name, cover: thumbnail ?? cover, developer }
      }),
    developers,
    facets: found.facets.map(({ facet, value, count }) => ({
      facet,
      value,
      label: labelOfValue(FILTERS[facet], value),
      count,
    })),
    tags: [...found.tags],
  }
}
