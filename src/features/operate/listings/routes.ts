import { Elysia, t } from 'elysia'

import { Paged } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import { OptionalReason, ReasonInput } from '../model.ts'
import type { Operate } from '../operate.ts'
import { ListingQuery, ListingWithFiles, OperatorListing } from './model.ts'
import { getListing, listListings, rescan, restore, takeDown } from './service.ts'

const tags = ['Operators']

export function operatorListingRoutes(kit: HttpKit, operate: Operate) {
  const { db } = operate.deps
  return new Elysia({ name: 'operator-listings', prefix: '/api/v1/operator' })
    .use(kit)
    .get(
      '/listings',
      async ({ query }) => {
        const search = { q: query.q?.trim() ?? '', takenDownOnly: query.taken_down === 'true' }
        return ok(await listListings(db, search, readPage(query)))
      },
      {
        operator: true,
        limit: 'operator',
        query: ListingQuery,
        response: Envelope(Paged(OperatorListing)),
        detail: { tags, summary: 'Find listings, whatever their visibility' },
      },
    )
    .get('/listings/:uid', async ({ params }) => ok(await getListing(db, params.uid)), {
      operator: true,
      limit: 'operator',
      response: Envelope(ListingWithFiles),
      detail: { tags, summary: 'A listing with its files' },
    })
    .post(
      '/listings/:uid/take-down',
      async ({ actor, params, body }) => ok(await takeDown(operate, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        limit: 'operator',
        body: ReasonInput,
        response: Envelope(OperatorListing),
        detail: { tags, summary: 'Take a page down; its owner is mailed the reason', ...failsWith('taken') },
      },
    )
    .post(
      '/listings/:uid/restore',
      async ({ actor, params, body }) => ok(await restore(operate, actor, params.uid, body?.reason?.trim())),
      {
        operator: true,
        limit: 'operator',
        body: OptionalReason,
        response: Envelope(OperatorListing),
        detail: { tags, summary: 'Undo taking a page down', ...failsWith('taken') },
      },
    )
    .post(
      '/files/:uid/rescan',
      async ({ actor, params }) => {
        await rescan(operate, actor, params.uid)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Scan a file again', ...failsWith('taken') },
      },
    )
}
