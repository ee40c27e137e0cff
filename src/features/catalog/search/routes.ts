import { Elysia } from 'elysia'

import { hiddenTagsFor } from '../../../domain/actor.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK, describeCache, sendPrepared } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { etagOf } from '../../../lib/net/prepared-response.ts'
import { parseUrl } from '../../../lib/net/requests.ts'
import { LISTS_RULE, SearchAnswer, SearchParameterList, Suggestions, SuggestQuery } from './model.ts'
import { SearchRequest } from './request.ts'
import { type CatalogSearch, searchCatalog } from './service.ts'
import { suggest } from './suggest.ts'

export function searchRoutes(kit: HttpKit, search: CatalogSearch) {
  return new Elysia({ name: 'search', prefix: '/api/v1/public' })
    .use(kit)
    .get(
      '/search/suggest',
      async ({ actor, query }) => {
        const hiddenTags = hiddenTagsFor(actor, query.show_hidden)
        return ok(await suggest(search, query.q ?? '', hiddenTags))
      },
      {
        limit: 'search_suggest',
        visitor: true,
        cache: ALWAYS_ASK,
        query: SuggestQuery,
        response: Envelope(Suggestions),
        detail: {
          tags: ['Search'],
          summary: 'What begins with the typed words: listings, developers, values of facets and tags',
          description: 'Never with adult listings. The facets and tags count the listings that have them.',
        },
      },
    )
    .get(
      '/search',
      async ({ actor, request, set }) => {
        const asked = SearchRequest.parse(parseUrl(request.url).searchParams)
        const response = await searchCatalog(search, actor, asked)
        const body = JSON.stringify(ok(response))
        // `took_ms` comes last and is excluded: it differs although the result is the same.
        const etag = etagOf(body.slice(0, body.lastIndexOf('"took_ms"')))
        const prepared = { body, etag, contentType: 'application/json' }
        return sendPrepared(prepared, request, set, ALWAYS_ASK)
      },
      {
        limit: 'search',
        visitor: true,
        query: SearchParameterList,
        response: Envelope(SearchAnswer),
        detail: {
          tags: ['Search'],
          summary: 'Search the catalog',
          description: LISTS_RULE,
          ...describeCache(ALWAYS_ASK),
        },
      },
    )
}
