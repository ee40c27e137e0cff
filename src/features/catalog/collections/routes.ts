import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { paged, parsePage } from '../../../lib/paging.ts'
import { Collection, CollectionQuery, CollectionSummary } from './model.ts'
import { type CollectionSource, loadCollection, toSummary } from './service.ts'

const tags = ['Catalog']

export function collectionRoutes(kit: HttpKit, { config }: Deps, source: CollectionSource) {
  return new Elysia({ name: 'collections', prefix: '/api/v1/public' })
    .use(kit)
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
        query: PageQuery,
        response: Envelope(Paged(CollectionSummary)),
        detail: { tags, summary: 'Rows of listings that the operators put together, newest first' },
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
        detail: { tags, summary: 'One of them with its listings, in their order' },
      },
    )
}
