import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { OptionalReason, ReasonInput } from '../model.ts'
import {
  ListingQuery,
  ListingWithFiles,
  OperatorListing,
  OperatorPost,
  PageReport,
  ReportQuery,
  WaitingPublication,
} from './model.ts'
import { getOperatorPost, restorePostOf, takeDownPostOf } from './posts.ts'
import {
  approve,
  closeReport,
  decline,
  getListing,
  listListings,
  listReports,
  listWaiting,
  parseReportState,
  rescan,
  restore,
  takeDown,
} from './service.ts'

const tags = ['Operators']

/** Listings, reports about them, and publications that need an operator's approval. */
export function moderationRoutes(kit: HttpKit, deps: Deps) {
  const { db } = deps
  return new Elysia({ name: 'operator-moderation', prefix: '/api/v1/operator' })
    .use(kit)
    .get(
      '/listings',
      async ({ query }) => {
        const search = { q: query.q?.trim() ?? '', takenDownOnly: query.taken_down === 'true' }
        return ok(await listListings(db, search, parsePage(query)))
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
      async ({ actor, params, body }) => ok(await takeDown(deps, actor, params.uid, body.reason.trim())),
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
      async ({ actor, params, body }) => ok(await restore(deps, actor, params.uid, body?.reason?.trim())),
      {
        operator: true,
        limit: 'operator',
        body: OptionalReason,
        response: Envelope(OperatorListing),
        detail: { tags, summary: 'Undo taking a page down', ...failsWith('taken') },
      },
    )
    .get('/posts/:uid', async ({ params }) => ok(await getOperatorPost(db, params.uid)), {
      operator: true,
      limit: 'operator',
      response: Envelope(OperatorPost),
      detail: { tags, summary: 'A post, whatever its state' },
    })
    .post(
      '/posts/:uid/take-down',
      async ({ actor, params, body }) =>
        ok(await takeDownPostOf(deps, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        limit: 'operator',
        body: ReasonInput,
        response: Envelope(OperatorPost),
        detail: {
          tags,
          summary: 'Take a post down; the owner of its page is mailed the reason',
          ...failsWith('taken'),
        },
      },
    )
    .post(
      '/posts/:uid/restore',
      async ({ actor, params, body }) =>
        ok(await restorePostOf(deps, actor, params.uid, body?.reason?.trim())),
      {
        operator: true,
        limit: 'operator',
        body: OptionalReason,
        response: Envelope(OperatorPost),
        detail: { tags, summary: 'Undo taking a post down', ...failsWith('taken') },
      },
    )
    .post(
      '/files/:uid/rescan',
      async ({ actor, params }) => {
        await rescan(deps, actor, params.uid)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Scan a file again', ...failsWith('taken') },
      },
    )
    .get(
      '/reports',
      async ({ query }) => ok(await listReports(db, parseReportState(query.state), parsePage(query))),
      {
        operator: true,
        limit: 'operator',
        query: ReportQuery,
        response: Envelope(Paged(PageReport)),
        detail: { tags, summary: 'Reports of pages from players' },
      },
    )
    .post(
      '/reports/:uid/dismiss',
      async ({ actor, params }) => ok(await closeReport(deps, actor, params.uid, 'dismissed')),
      {
        operator: true,
        limit: 'operator',
        response: Envelope(PageReport),
        detail: { tags, summary: 'Close a report without doing anything' },
      },
    )
    .post(
      '/reports/:uid/resolve',
      async ({ actor, params }) => ok(await closeReport(deps, actor, params.uid, 'resolved')),
      {
        operator: true,
        limit: 'operator',
        response: Envelope(PageReport),
        detail: { tags, summary: 'Close a report that something was done about' },
      },
    )
    .get('/queue', async ({ query }) => ok(await listWaiting(deps.db, parsePage(query))), {
      operator: true,
      limit: 'operator',
      query: PageQuery,
      response: Envelope(Paged(WaitingPublication)),
      detail: { tags, summary: 'Publications that wait for approval, the oldest first' },
    })
    .post(
      '/queue/:uid/approve',
      async ({ actor, params }) => {
        await approve(deps, actor, params.uid)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Approve a publication', ...failsWith('taken', 'listing_check_failed') },
      },
    )
    .post(
      '/queue/:uid/decline',
      async ({ actor, params, body }) => {
        await decline(deps, actor, params.uid, body.reason.trim())
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        body: ReasonInput,
        response: Envelope(t.Object({})),
        detail: {
          tags,
          summary: 'Decline a publication; its owner is mailed the reason',
          ...failsWith('taken'),
        },
      },
    )
}
