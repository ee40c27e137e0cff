import { Elysia } from 'elysia'

import type { SearchEngine } from '../../clients/search/search-engine.ts'
import type { Deps } from '../../deps.ts'
import { ALWAYS_ASK, describeCache, etagOf } from '../../http/caching.ts'
import { Envelope, ok } from '../../http/envelope.ts'
import type { HttpKit } from '../../http/kit.ts'
import { sendPrepared } from '../../http/prepared.ts'
import { SearchAnswer, SearchParameterList } from './model.ts'
import { searchCatalog } from './service.ts'

export function searchRoutes(kit: HttpKit, deps: Deps, engine: SearchEngine) {
  return new Elysia({ name: 'search', prefix: '/api/v1/public' }).use(kit).get(
    '/search',
    async ({ actor, request, set }) => {
      const sent = new URL(request.url).searchParams
      const answer = await searchCatalog(deps, engine, actor, (name) => sent.getAll(name))
      const { took_ms, ...lasting } = answer
      const prepared = {
        body: JSON.stringify(ok({ ...lasting, took_ms })),
        // How long it took is no news.
        etag: etagOf(JSON.stringify(lasting)),
        contentType: 'application/json',
      }
      return sendPrepared(prepared, request, set.headers, ALWAYS_ASK)
    },
    {
      limit: 'search',
      visitor: true,
      query: SearchParameterList,
      response: Envelope(SearchAnswer),
      detail: {
        tags: ['Search'],
        summary: 'Search the catalog',
        ...describeCache(ALWAYS_ASK),
      },
    },
  )
}
