import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { hiddenTagsFor } from '../../domain/actor.ts'
import { Envelope, listOf, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { ALWAYS_ASK, describeCache, sendPrepared } from '../../http/output/caching.ts'
import { etagOf } from '../../lib/net/prepared-response.ts'
import { parseUrl } from '../../lib/net/requests.ts'
import { paged, parsePage } from '../../lib/paging.ts'
import { Collection, CollectionQuery, CollectionSummary } from './collections/model.ts'
import { type CollectionSource, loadCollection, toSummary } from './collections/service.ts'
import { downloadRoutes } from './downloads/routes.ts'
import type { Downloads } from './downloads/service.ts'
import { followedRoutes } from './followed/routes.ts'
import { installRoutes } from './installs/routes.ts'
import { browseRoutes } from './pages/browse-routes.ts'
import { createListingCache } from './pages/listing-cache.ts'
import { catalogRoutes, LISTING_RESPONSES } from './pages/routes.ts'
import { LISTS_RULE, SearchAnswer, SearchParameterList, Suggestions, SuggestQuery } from './search/model.ts'
import { SearchRequest } from './search/request.ts'
import { type CatalogSearch, searchCatalog } from './search/service.ts'
import { suggest } from './search/suggest.ts'
import { Shelf, ShelfQuery } from './shelves/model.ts'
import { loadShelf, type ShelfSource } from './shelves/service.ts'

/** What players find and download. */
export async function catalogAreaRoutes(
  kit: HttpKit,
  deps: Deps,
  { search, downloads }: { search: CatalogSearch; downloads: Downloads },
) {
  return new Elysia({ name: 'catalog area' })
    .use(catalogRoutes(kit, deps, await createListingCache(deps, LISTING_RESPONSES)))
    .use(await browseRoutes(kit, deps))
    .use(searchRoutes(kit, search))
    .use(downloadRoutes(kit, downloads))
    .use(installRoutes(kit, downloads))
    .use(shelfRoutes(kit, search))
    .use(collectionRoutes(kit, deps, search))
    .use(followedRoutes(kit, deps))
}

function shelfRoutes(kit: HttpKit, source: ShelfSource) {
  return createRoutes(kit, { name: 'shelves', prefix: '/api/v1/public', tags: ['Catalog'] }).get(
    '/shelves/:kind',
    async ({ actor, params, query }) => {
      const hiddenTags = hiddenTagsFor(actor, query.show_hidden)
      return ok(await loadShelf(source, params.kind, query.os, new Date(), hiddenTags))
    },
    {
      limit: 'shelves',
      visitor: true,
      cache: ALWAYS_ASK,
      query: ShelfQuery,
      response: Envelope(Shelf),
      summary:
        'Listings in an order that changes daily: short games for tonight, unknown new ones, and those that run in the browser',
    },
  )
}

function collectionRoutes(kit: HttpKit, { config }: Deps, source: CollectionSource) {
  return createRoutes(kit, { name: 'collections', prefix: '/api/v1/public', tags: ['Catalog'] })
    .get(
      '/collections',
      async ({ query }) => {
        const page = parsePage(query)
        const all = await source.loadCollections(new Date())
        const items = all.slice(page.offset, page.offset + page.page_size)
        return ok(
          paged(
            page,
            items.map((collection) => toSummary(config.baseUrl, collection)),
            all.length,
          ),
        )
      },
      {
        limit: 'shelves',
        visitor: true,
        cache: ALWAYS_ASK,
        ...listOf(CollectionSummary),
        summary: 'Rows of listings that the operators put together, newest first',
      },
    )
    .get(
      '/collections/:slug',
      async ({ actor, params, query }) => {
        const shown = await loadCollection(source, actor, params.slug, query.show_hidden)
        return ok({ ...toSummary(config.baseUrl, shown.collection), items: shown.cards })
      },
      {
        limit: 'shelves',
        visitor: true,
        cache: ALWAYS_ASK,
        query: CollectionQuery,
        response: Envelope(Collection),
        summary: 'One of them with its listings, in their order',
      },
    )
}

function searchRoutes(kit: HttpKit, search: CatalogSearch) {
  return createRoutes(kit, { name: 'search', prefix: '/api/v1/public', tags: ['Search'] })
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
        summary: 'What begins with the typed words: listings, developers, values of facets and tags',
        description: 'Never with adult listings. The facets and tags count the listings that have them.',
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
        summary: 'Search the catalog',
        description: LISTS_RULE,
        detail: describeCache(ALWAYS_ASK),
      },
    )
}
