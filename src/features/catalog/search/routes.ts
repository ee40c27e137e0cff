import { Elysia } from 'elysia'

import type { HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK, describeCache, sendPrepared } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { etagOf } from '../../../lib/net/prepared-response.ts'
import { parseUrl } from '../../../lib/net/requests.ts'
import { LISTS_RULE, SearchAnswer, SearchParameterList } from './model.ts'
import { SearchRequest } from './request.ts'
import { type CatalogSearch, searchCatalog } from './service.ts'

export function searchRoutes(kit: HttpKit, search: CatalogSearch) {
  return new Elysia({ name: 'search', prefix: '/api/v1/public' }).use(kit).get(
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
