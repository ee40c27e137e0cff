import type { Deps } from '../../../deps.ts'
import { done, Envelope, listOf, Nothing, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
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

/** Listings, reports about them, and publications that need an operator's approval. */
export function moderationRoutes(kit: HttpKit, deps: Deps) {
  const { db } = deps
  return createRoutes(kit, { name: 'operator-moderation', prefix: '/api/v1/operator', tags: ['Operators'] })
    .get(
      '/listings',
      async ({ query }) => {
        const search = { q: query.q?.trim() ?? '', takenDownOnly: query.taken_down === 'true' }
        return ok(await listListings(db, search, parsePage(query)))
      },
      {
        operator: true,
        query: ListingQuery,
        response: Envelope(Paged(OperatorListing)),
        summary: 'Find listings, whatever their visibility',
      },
    )
    .get('/listings/:uid', async ({ params }) => ok(await getListing(db, params.uid)), {
      operator: true,
      response: Envelope(ListingWithFiles),
      summary: 'A listing with its files',
    })
    .post(
      '/listings/:uid/take-down',
      async ({ actor, params, body }) => ok(await takeDown(deps, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        body: ReasonInput,
        response: Envelope(OperatorListing),
        summary: 'Take a page down; its owner is mailed the reason',
        fails: 'taken',
      },
    )
    .post(
      '/listings/:uid/restore',
      async ({ actor, params, body }) => ok(await restore(deps, actor, params.uid, body?.reason?.trim())),
      {
        operator: true,
        body: OptionalReason,
        response: Envelope(OperatorListing),
        summary: 'Undo taking a page down',
        fails: 'taken',
      },
    )
    .get('/posts/:uid', async ({ params }) => ok(await getOperatorPost(db, params.uid)), {
      operator: true,
      response: Envelope(OperatorPost),
      summary: 'A post, whatever its state',
    })
    .post(
      '/posts/:uid/take-down',
      async ({ actor, params, body }) =>
        ok(await takeDownPostOf(deps, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        body: ReasonInput,
        response: Envelope(OperatorPost),
        summary: 'Take a post down; the owner of its page is mailed the reason',
        fails: 'taken',
      },
    )
    .post(
      '/posts/:uid/restore',
      async ({ actor, params, body }) =>
        ok(await restorePostOf(deps, actor, params.uid, body?.reason?.trim())),
      {
        operator: true,
        body: OptionalReason,
        response: Envelope(OperatorPost),
        summary: 'Undo taking a post down',
        fails: 'taken',
      },
    )
    .post('/files/:uid/rescan', async ({ actor, params }) => await done(rescan(deps, actor, params.uid)), {
      operator: true,
      response: Nothing,
      summary: 'Scan a file again',
      fails: 'taken',
    })
    .get(
      '/reports',
      async ({ query }) => ok(await listReports(db, parseReportState(query.state), parsePage(query))),
      {
        operator: true,
        query: ReportQuery,
        response: Envelope(Paged(PageReport)),
        summary: 'Reports of pages from players',
      },
    )
    .post(
      '/reports/:uid/dismiss',
      async ({ actor, params }) => ok(await closeReport(deps, actor, params.uid, 'dismissed')),
      {
        operator: true,
        response: Envelope(PageReport),
        summary: 'Close a report without doing anything',
      },
    )
    .post(
      '/reports/:uid/resolve',
      async ({ actor, params }) => ok(await closeReport(deps, actor, params.uid, 'resolved')),
      {
        operator: true,
        response: Envelope(PageReport),
        summary: 'Close a report that something was done about',
      },
    )
    .get('/queue', async ({ query }) => ok(await listWaiting(deps.db, parsePage(query))), {
      operator: true,
      ...listOf(WaitingPublication),
      summary: 'Publications that wait for approval, the oldest first',
    })
    .post('/queue/:uid/approve', async ({ actor, params }) => await done(approve(deps, actor, params.uid)), {
      operator: true,
      response: Nothing,
      summary: 'Approve a publication',
      fails: ['taken', 'listing_check_failed'],
    })
    .post(
      '/queue/:uid/decline',
      async ({ actor, params, body }) => await done(decline(deps, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        body: ReasonInput,
        response: Nothing,
        summary: 'Decline a publication; its owner is mailed the reason',
        fails: 'taken',
      },
    )
}
