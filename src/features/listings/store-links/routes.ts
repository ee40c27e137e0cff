import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { StoreLinks, StoreLinksEdit } from './model.ts'
import { getStoreLinks, saveStoreLinks } from './service.ts'

const tags = ['Listings']

export function storeLinkRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'store-links', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get('/store-links', async ({ actor, params }) => ok(await getStoreLinks(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(StoreLinks),
      detail: { tags, summary: 'Links to other stores, and the supported stores' },
    })
    .put(
      '/store-links',
      async ({ actor, params, body }) => {
        const input = await StoreLinksEdit.settle(body, () => getStoreLinks(deps, actor, params.uid))
        return ok(await saveStoreLinks(deps, actor, params.uid, input))
      },
      {
        website: true,
        body: StoreLinksEdit.body,
        response: Envelope(StoreLinks),
        detail: { tags, summary: 'Replace the links to other stores', ...failsWith('store_link_invalid') },
      },
    )
}
