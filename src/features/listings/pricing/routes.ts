import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { AnonymousDownloads, AnonymousDownloadsInput, Edition, EditionEdit, EditionInput } from './model.ts'
import {
  createEdition,
  deleteEdition,
  getEdition,
  listEditions,
  setAnonymousDownloads,
  updateEdition,
} from './service.ts'

const tags = ['Listings']

export function pricingRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'pricing', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/editions',
      async ({ actor, params, query }) => ok(await listEditions(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(Paged(Edition)),
        detail: { tags, summary: 'The editions of the listing, active or not' },
      },
    )
    .post(
      '/editions',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createEdition(deps, actor, params.uid, body))),
      {
        website: true,
        body: EditionInput,
        response: { 201: Envelope(Edition) },
        detail: { tags, summary: 'Add an edition' },
      },
    )
    .patch(
      '/editions/:edition_uid',
      async ({ actor, params: { uid, edition_uid }, body }) => {
        const patch = await EditionEdit.settle(body, () => getEdition(deps, actor, uid, edition_uid))
        return ok(await updateEdition(deps, actor, uid, edition_uid, patch))
      },
      {
        website: true,
        body: EditionEdit.body,
        response: Envelope(Edition),
        detail: { tags, summary: 'Change an edition' },
      },
    )
    .delete(
      '/editions/:edition_uid',
      async ({ actor, params }) => {
        await deleteEdition(deps, actor, params.uid, params.edition_uid)
        return ok({})
      },
      {
        website: true,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete an edition' },
      },
    )
    .put(
      '/anonymous-downloads',
      async ({ actor, params, body }) => ok(await setAnonymousDownloads(deps, actor, params.uid, body)),
      {
        website: true,
        body: AnonymousDownloadsInput,
        response: Envelope(AnonymousDownloads),
        detail: { tags, summary: 'Turn downloads without an account on or off' },
      },
    )
}
