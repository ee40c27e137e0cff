import { Elysia } from 'elysia'

import { hiddenTagsFor } from '../../../domain/actor.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { Shelf, ShelfQuery } from './model.ts'
import { loadShelf, type ShelfSource } from './service.ts'

export function shelfRoutes(kit: HttpKit, source: ShelfSource) {
  return new Elysia({ name: 'shelves', prefix: '/api/v1/public' }).use(kit).get(
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
      detail: {
        tags: ['Catalog'],
        summary:
          'Listings in an order that changes daily: short games for tonight, unknown new ones, and those that run in the browser',
      },
    },
  )
}
