import { hiddenTagsFor } from '../../domain/actor.ts'
import type { CatalogSearch } from '../../features/catalog/search/service.ts'
import { suggest } from '../../features/catalog/search/suggest.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { renderHtml } from '../kit/html.ts'
import { SuggestionList } from './suggestions.tsx'

const TEXT_MAX = 200

/** What the API suggests for the beginning of a search, as options of the search box. */
export function suggestionRoutes(kit: HttpKit, search: CatalogSearch) {
  return createRoutes(kit, { name: 'suggestions' }).get(
    '/suggestions',
    async ({ visit: { actor }, query, set }) => {
      const text = (query.q ?? '').trim().slice(0, TEXT_MAX)
      const found = await suggest(search, text, hiddenTagsFor(actor, null))
      set.headers['content-type'] = 'text/html; charset=utf-8'
      set.headers['cache-control'] = 'no-store'
      return new Response(renderHtml(<SuggestionList text={text} found={found} />))
    },
    { limit: 'search_suggest', page: true },
  )
}
